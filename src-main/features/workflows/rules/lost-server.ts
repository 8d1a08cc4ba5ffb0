/**
 * Exit codes of a bridge that has lost its ComfyUI server while others can run its job. Source: ours, above those of
 * sysexits.h.
 */
export const LOST_SERVER_CODES = { 'before the prompt': 80, 'with the prompt': 81 } as const

/** HTTP status of a server that leads back to its client. Source: RFC 5842, 7.2. */
export const LOOP_DETECTED = 508

export type LostServer = keyof typeof LOST_SERVER_CODES

export const LOST_SERVER: Readonly<Record<number, LostServer>> = {
  [LOST_SERVER_CODES['before the prompt']]: 'before the prompt',
  [LOST_SERVER_CODES['with the prompt']]: 'with the prompt',
}
