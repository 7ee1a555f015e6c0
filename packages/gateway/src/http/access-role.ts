import type { HttpIdentity } from "@trunkline/plugin-sdk";

/** `chat` may talk to the agents; `admin` is the owner. Each has its own token. */
export type AccessRole = HttpIdentity["role"];

export const ACCESS_ROLES: readonly AccessRole[] = ["chat", "admin"];
