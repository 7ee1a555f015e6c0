/** Whether a host of a URL is this very machine, which no proxy elsewhere can reach. */
export function isThisMachine(hostname: string): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}
