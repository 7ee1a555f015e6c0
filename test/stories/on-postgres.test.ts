// The stories of what is kept and what is sent, told once more on PostgreSQL: the same files, another store.
import { storiesOnPostgres } from "../support/story-store.ts";
import "./answer-cost.test.ts";
import "./owner-alerts.test.ts";
import "./pairing.test.ts";
import "./spine.test.ts";

storiesOnPostgres();
