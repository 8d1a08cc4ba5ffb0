import { CliError, usageError } from './cli-error.ts'
import type { Output } from './output.ts'
import type { Surroundings } from './surroundings.ts'

export function canAsk(output: Output, { stdin, stdout }: Pick<Surroundings, 'stdin' | 'stdout'>): boolean {
  return stdout.isTTY === true && stdin.isTTY === true && !output.json
}

export const YES = ['-y, --yes', 'do not ask for confirmation'] as const

const DONE = { delete: 'deleted', replace: 'replaced', cancel: 'cancelled', stop: 'stopped' } as const

export type Deletion = {
  readonly yes?: true | undefined
  readonly what: string
  readonly question: string
  readonly verb?: keyof typeof DONE
  /** Comma-separated list of what stops working. */
  readonly breaks?: string | undefined
  /** Rejects if there is nothing to delete. Without a question, the service tells. */
  readonly find?: () => Promise<unknown>
}

export async function confirmDeletion(
  { yes, what, question, verb = 'delete', breaks, find }: Deletion,
  output: Output,
  surroundings: Surroundings,
): Promise<void> {
  if (yes) return
  await find?.()
  const whole = breaks === undefined ? what : `${what}, and break the following: ${breaks}`
  if (!canAsk(output, surroundings)) throw new CliError('UNCONFIRMED', { what: whole, verb, done: DONE[verb] })
  const asked = breaks === undefined ? question : `This breaks: ${breaks}. ${question}`
  if (!(await surroundings.ask.yes(asked))) throw new CliError('ABANDONED', { why: `Nothing was ${DONE[verb]}.` })
}

/** Lists what a deletion broke, since with --yes no question listed it. */
export function noteBroken(breaks: string | undefined, output: Output): void {
  if (breaks !== undefined && !output.json) output.note(`The following no longer works: ${breaks}.`)
}

export async function confirmChange(
  { yes, question }: Pick<Deletion, 'yes' | 'question'>,
  output: Output,
  surroundings: Surroundings,
): Promise<void> {
  if (yes || !canAsk(output, surroundings) || (await surroundings.ask.yes(question))) return
  throw new CliError('ABANDONED', { why: 'Nothing was changed.' })
}

/**
 * Reads a secret from stdin or a prompt, never an argument, which shells remember.
 * @param secret.nothing the outcome if the user aborts
 * @throws CliError USAGE if empty, ABANDONED
 */
export async function readSecret(
  { name, question, nothing }: { readonly name: string; readonly question: string; readonly nothing: string },
  { stdin, ask }: Pick<Surroundings, 'stdin' | 'ask'>,
): Promise<string> {
  const text = stdin.isTTY === true ? await ask.secret(question) : await readAll(stdin)
  if (text === undefined) throw new CliError('ABANDONED', { why: nothing })
  const secret = text.replace(/\r?\n$/, '')
  if (secret === '') throw usageError(`There is no ${name}. Pass it on standard input, like < ${name}.txt`)
  return secret
}

export async function readAll(stream: Surroundings['stdin']): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of stream) pieces.push(Buffer.from(piece))
  return Buffer.concat(pieces).toString('utf8')
}
