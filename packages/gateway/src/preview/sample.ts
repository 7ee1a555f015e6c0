/** What `trunkline preview` shows when it is given no file: a bit of everything. */
export const SAMPLE = `# Deploy report

The **build** passed in *42 s*, ~~with~~ without warnings. See [the log](https://ci.example/1) or https://ci.example/all.

1. Install
   - \`npm ci\`
   - check \`package.json\`
2. Run
- [x] unit tests
- [ ] ||secret|| tests

> Note: use Node 22.
> It is the one that was tested.

| Service | Requests | Errors |
|---------|---------:|:------:|
| api     |    12000 |   0    |
| 検索    |      310 |   2    |

\`\`\`ts
const ready: boolean = await start({ port: 8642 });
\`\`\`

Energy is $E = mc^2$.[^1]

***

这是**粗体**文字, and \\*this is not\\*.

[^1]: Einstein, 1905.
`;
