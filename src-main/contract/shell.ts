/** A shell in the container of a worker, as the pages and the command line drive it. Source: issue 6, Workers. */
import { z } from 'zod'
import { limit } from './limits.ts'
import { utf8Bytes } from './utf8.ts'

/** Size of a terminal in characters. */
export const shellSize = z.strictObject({
  columns: z.number().int().min(1).max(1000),
  rows: z.number().int().min(1).max(1000),
})

/** Size of a terminal. */
export type ShellSize = z.infer<typeof shellSize>

/** A shell that was opened. */
export const openedShell = z.object({
  shellId: z.string(),
  program: z.string().describe('what runs in the terminal: bash, or sh where the image has no bash'),
})

/** Body of 'type into a shell'. */
export const shellInput = z.strictObject({
  text: z.string().refine((text) => utf8Bytes(text) <= limit('shellInputBytes'), 'is too long for one call'),
})

/** A piece of what a shell wrote, or its end, after which nothing comes. */
export const shellOutput = z.object({
  end: z.number().int().describe('bytes up to the end of this piece; send it back as `after` to go on'),
  data: z.string().describe('bytes of the terminal in base64'),
  ended: z.string().optional().describe('why the shell ended, as a person reads it'),
})

/** A piece of what a shell wrote. */
export type ShellOutput = z.infer<typeof shellOutput>
