import { DOWNLOAD_LIMIT } from "../files.ts";
import { badRequest } from "../refusal.ts";
import type { Method } from "./method.ts";

/** getFile: the path under which a file of at most 20 MB is served. Source: core.telegram.org/bots/api#getfile. */
export const getFile: Method = ({ world, params }) => {
  const id = params.text("file_id");
  if (id === "") throw badRequest("file_id not specified");
  const file = world.files.find(id);
  if (file === undefined) throw badRequest("invalid file_id");
  const size = file.bytes.byteLength;
  if (size > DOWNLOAD_LIMIT) throw badRequest("file is too big");
  return { result: { file_id: file.fileId, file_unique_id: file.uniqueId, file_size: size, file_path: file.path } };
};
