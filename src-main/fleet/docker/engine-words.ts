/** Longest reason of the engine that is passed on, in characters; source: ours, so that it fits a line or two. */
const LONGEST = 300
// What dockerode puts before it.
const CLIENT_WORDS = /^\(HTTP code \d+\) [\w ]+ - /

/** What the engine said, without the words of its client around it. */
export function engineWords(error: unknown): string {
  const { json, message } = error as { json?: { message?: string }; message?: string }
  return shortened(json?.message ?? (message ?? String(error)).replace(CLIENT_WORDS, ''))
}

/** The first line of what the engine said, cut where it goes on for long. */
export function shortened(words: string): string {
  const line = words.trim().split('\n', 1)[0] ?? ''
  return line.length > LONGEST ? `${line.slice(0, LONGEST - 1)}…` : line
}
