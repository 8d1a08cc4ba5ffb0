import { CliError, usageError } from './cli-error.ts'
import type { Output } from './output.ts'
import type { Surroundings } from './surroundings.ts'

/** Whether a person sits there who can answer. */
export function canAsk(output: Output, { stdin, stdout }: Pick<Surroundings, 'stdin' | 'stdout'>): boolean {
  return stdout.isTTY === true && stdin.isTTY === true && !output.json
}

/** The option that skips the question. */
export const YES = ['-y, --yes', 'do not ask for confirmation'] as const

/** What is to be confirmed before it is deleted. */
export type Deletion = {
  /** `--yes` was given. */
  readonly yes: true | undefined
  /** What goes, as part of a sentence. */
  readonly what: string
  readonly question: string
  /** `delete` without it. */
  readonly verb?: 'delete' | 'replace'
}

/** Asks before something goes for good. @throws CliError UNCONFIRMED where nobody can be asked, ABANDONED after a no */
export async function confirmDeletion(
  { yes, what, question, verb = 'delete' }: Deletion,
  output: Output,
  surroundings: Surroundings,
): Promise<void> {
  if (yes) return
  if (!canAsk(output, surroundings)) throw new CliError('UNCONFIRMED', { what, verb })
  if (!(await surroundings.ask.yes(question))) throw new CliError('ABANDONED', { why: `Nothing was ${verb}d.` })
}

/** Asks before a reversible change, but only a person at a terminal. @throws CliError ABANDONED */
export async function confirmChange(
  { yes, question }: Pick<Deletion, 'yes' | 'question'>,
  output: Output,
  surroundings: Surroundings,
): Promise<void> {
  if (yes || !canAsk(output, surroundings) || (await surroundings.ask.yes(question))) return
  throw new CliError('ABANDONED', { why: 'Nothing was changed.' })
}

/**
 * A secret from standard input, or asked for where a person sits; never an argument, which a shell would remember.
 * @param secret.name as in "There is no password."
 * @param secret.nothing what holds when the person breaks off
 * @throws CliError USAGE where it is empty, ABANDONED when the person breaks off
 */
export async function readSecret(
  { name, question, nothing }: { readonly name: string; readonly question: string; readonly nothing: string },
  { stdin, ask }: Pick<Surroundings, 'stdin' | 'ask'>,
): Promise<string> {
  const text = stdin.isTTY === true ? await ask.secret(question) : await readAll(stdin)
  if (text === undefined) throw new CliError('ABANDONED', { why: nothing })
  const secret = text.replace(/\r?\n$/, '') // the end of the line that `echo` writes
  if (secret === '') throw usageError(`There is no ${name}. Pass it on standard input, like < ${name}.txt`)
  return secret
}

/** Reads standard input to its end, as text. */
export async function readAll(stream: Surroundings['stdin']): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of stream) pieces.push(Buffer.from(piece))
  return Buffer.concat(pieces).toString('utf8')
}
