/** `:shortcode:` names in common use and their characters, as space-separated pairs. Unknown codes stay as they are. */
const PAIRS = `
+1 👍 thumbsup 👍 -1 👎 thumbsdown 👎 100 💯 1st_place_medal 🥇 2nd_place_medal 🥈 3rd_place_medal 🥉 alarm_clock ⏰ alien 👽
ambulance 🚑 anchor ⚓ angel 👼 anger 💢 angry 😠 apple 🍎 arrow_down ⬇️ arrow_left ⬅️ arrow_right ➡️ arrow_up ⬆️ art 🎨
astonished 😲 baby 👶 balloon 🎈 bamboo 🎍 banana 🍌 bar_chart 📊 battery 🔋 bear 🐻 bee 🐝 beer 🍺 beers 🍻 bell 🔔 bike 🚲
bird 🐦 birthday 🎂 blossom 🌼 blue_heart 💙 blush 😊 boat ⛵ bomb 💣 book 📖 bookmark 🔖 books 📚 boom 💥 bouquet 💐 boy 👦
brain 🧠 bread 🍞 briefcase 💼 broken_heart 💔 bug 🐛 bulb 💡 bus 🚌 butterfly 🦋 cactus 🌵 cake 🍰 calendar 📆 camera 📷
car 🚗 cat 🐱 chart 💹 chart_with_downwards_trend 📉 chart_with_upwards_trend 📈 checkered_flag 🏁 cherry_blossom 🌸 chicken 🐔
christmas_tree 🎄 clap 👏 clipboard 📋 closed_lock_with_key 🔐 cloud ☁️ clown_face 🤡 coffee ☕ computer 💻 confetti_ball 🎊
confused 😕 construction 🚧 cookie 🍪 cool 🆒 cow 🐮 credit_card 💳 crossed_fingers 🤞 crown 👑 cry 😢 crystal_ball 🔮 dancer 💃
dart 🎯 date 📅 desktop_computer 🖥️ dizzy 💫 dog 🐶 dollar 💵 dolphin 🐬 door 🚪 dragon 🐉 droplet 💧 ear 👂 earth_africa 🌍
earth_americas 🌎 earth_asia 🌏 egg 🥚 elephant 🐘 email 📧 envelope ✉️ exclamation ❗ exploding_head 🤯 eye 👁️ eyes 👀
face_with_monocle 🧐 facepalm 🤦 fearful 😨 file_folder 📁 fire 🔥 fire_engine 🚒 fireworks 🎆 fish 🐟 flashlight 🔦 flushed 😳
four_leaf_clover 🍀 fox_face 🦊 frog 🐸 gear ⚙️ gem 💎 ghost 👻 gift 🎁 girl 👧 globe_with_meridians 🌐 green_heart 💚 grimacing 😬
grin 😁 grinning 😀 guitar 🎸 hammer 🔨 hammer_and_wrench 🛠️ handshake 🤝 hatching_chick 🐣 headphones 🎧 heart ❤️ heart_eyes 😍
heavy_check_mark ✔️ heavy_plus_sign ➕ heavy_minus_sign ➖ hibiscus 🌺 hourglass ⌛ hourglass_flowing_sand ⏳ house 🏠 hugs 🤗 hushed 😯
inbox_tray 📥 information_source ℹ️ innocent 😇 joy 😂 key 🔑 keyboard ⌨️ kiss 💋 kissing_heart 😘 label 🏷️ laughing 😆 leaves 🍃
lemon 🍋 link 🔗 lion 🦁 lips 👄 lock 🔒 loudspeaker 📢 love_letter 💌 mag 🔍 mag_right 🔎 mailbox 📫 man 👨 mask 😷 medal_sports 🏅
mega 📣 memo 📝 microphone 🎤 microscope 🔬 money_with_wings 💸 moneybag 💰 monkey 🐒 monkey_face 🐵 moon 🌔 mortar_board 🎓
mountain ⛰️ mouse 🐭 muscle 💪 mushroom 🍄 musical_note 🎵 nerd_face 🤓 neutral_face 😐 new 🆕 newspaper 📰 no_entry ⛔
no_entry_sign 🚫 notebook 📓 notes 🎶 octopus 🐙 ok 🆗 ok_hand 👌 open_file_folder 📂 open_mouth 😮 orange_heart 🧡 outbox_tray 📤
owl 🦉 package 📦 page_facing_up 📄 palm_tree 🌴 panda_face 🐼 paperclip 📎 parrot 🦜 partying_face 🥳 pear 🍐 pencil 📝 pencil2 ✏️
penguin 🐧 pensive 😔 phone ☎️ pig 🐷 pill 💊 pizza 🍕 point_down 👇 point_left 👈 point_right 👉 point_up ☝️ poop 💩 popcorn 🍿
pray 🙏 printer 🖨️ purple_heart 💜 pushpin 📌 question ❓ rabbit 🐰 rage 😡 rainbow 🌈 raised_hand ✋ raised_hands 🙌 recycle ♻️
red_circle 🔴 relaxed ☺️ relieved 😌 ribbon 🎀 robot 🤖 rocket 🚀 rofl 🤣 rose 🌹 rotating_light 🚨 runner 🏃 scissors ✂️ scream 😱
scroll 📜 see_no_evil 🙈 seedling 🌱 shield 🛡️ ship 🚢 shrug 🤷 shushing_face 🤫 skull 💀 sleeping 😴 sleepy 😪 slightly_smiling_face 🙂
smile 😄 smiley 😃 smirk 😏 snail 🐌 snake 🐍 snowflake ❄️ snowman ⛄ sob 😭 soccer ⚽ sos 🆘 sparkles ✨ sparkling_heart 💖
speech_balloon 💬 star ⭐ star2 🌟 star_struck 🤩 stop_sign 🛑 stopwatch ⏱️ stuck_out_tongue 😛 sun_with_face 🌞 sunflower 🌻
sunglasses 😎 sunny ☀️ sunrise 🌅 surfer 🏄 sweat 😓 sweat_smile 😅 tada 🎉 tea 🍵 telephone ☎️ telescope 🔭 thinking 🤔 thread 🧵
thermometer 🌡️ thought_balloon 💭 ticket 🎫 tiger 🐯 timer_clock ⏲️ toolbox 🧰 trophy 🏆 tulip 🌷 turtle 🐢 tv 📺 umbrella ☔
unamused 😒 unicorn 🦄 unlock 🔓 upside_down_face 🙃 v ✌️ vulcan_salute 🖖 warning ⚠️ wastebasket 🗑️ watch ⌚ watermelon 🍉 wave 👋
whale 🐳 white_check_mark ✅ wine_glass 🍷 wink 😉 wolf 🐺 woman 👩 worried 😟 wrench 🔧 writing_hand ✍️ x ❌ yellow_heart 💛 yum 😋 zap ⚡
zzz 💤 green_circle 🟢 yellow_circle 🟡 orange_circle 🟠 blue_circle 🔵 white_circle ⚪ black_circle ⚫ bangbang ‼️ test_tube 🧪
dna 🧬 satellite 📡 floppy_disk 💾 cd 💿 dvd 📀 iphone 📱 bookmark_tabs 📑 card_index 📇 triangular_ruler 📐 straight_ruler 📏
round_pushpin 📍 triangular_flag_on_post 🚩 white_flag 🏳️ airplane ✈️ train 🚆 taxi 🚕 truck 🚚 bank 🏦 hospital 🏥 school 🏫
factory 🏭 office 🏢 tent ⛺ city_sunset 🌆 ocean 🌊 volcano 🌋 milky_way 🌌 no_mouth 😶 expressionless 😑 rolling_eyes 🙄
disappointed 😞 triumph 😤 hot_face 🥵 cold_face 🥶 pleading_face 🥺 saluting_face 🫡 melting_face 🫠 heart_hands 🫶
`;

const words = PAIRS.trim().split(/\s+/);
const TABLE = new Map<string, string>();
for (let i = 0; i + 1 < words.length; i += 2) TABLE.set(words[i] ?? "", words[i + 1] ?? "");

/** The character of a shortcode given without its colons, or undefined when it is not known. */
export function shortcodeCharacter(name: string): string | undefined {
  return TABLE.get(name);
}
