import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { InvalidArgumentError } from 'commander'
import { confirmDeletion, YES } from '../../app/cli/ask.ts'
import type { CliCommand } from '../../app/cli/cli-command.ts'
import { CliError, EXIT_CODES, unreadable, usageError } from '../../app/cli/cli-error.ts'
import { following } from '../../app/cli/interrupt.ts'
import { decimal, wholeNumber } from '../../app/cli/option-values.ts'
import { duration, type Output } from '../../app/cli/output.ts'
import { withSpinner } from '../../app/cli/progress-line.ts'
import { openSession } from '../../app/cli/session.ts'
import type { Surroundings } from '../../app/cli/surroundings.ts'
import type { ServiceClient } from '../../app/client/service-client.ts'
import type { ComparisonMode, ComparisonRow, ComparisonView } from '../../contract/compare.ts'
import { limit } from '../../contract/limits.ts'
import { writeExact } from '../../lib/json/plain.ts'
import { ago } from '../../lib/text.ts'
import { type CancelOptions, confirmBulkCancel } from '../jobs/commands/confirm-cancel.ts'
import { addJobFilter, filterOf, type JobFilterOptions } from '../jobs/commands/jobs.ts'
import { progressOf, summaryOf, waitsOf } from './rules/plan.ts'

type StartOptions = JobFilterOptions & {
  readonly ids?: string
  readonly inputFile?: string
  readonly name?: string
  readonly set?: readonly VersionSetting[]
  readonly image?: readonly VersionSetting[]
  readonly absolute?: number
  readonly relative?: number
  readonly ignore?: readonly string[]
  readonly distance?: number
  readonly pixels?: number
  readonly similarity?: number
  readonly slower?: number
  readonly atOnce?: number
}

type VersionSetting = { readonly number: number; readonly text: string }

const ABOUT = `
Inputs are those of stored jobs (--endpoint, --since, --ids and the other filters) or of a file (--input-file). Outputs
have to be equal unless a tolerance says otherwise (--absolute, --relative, --ignore, --similarity).
Versions are endpoints, by id or name; --image and --set add variants of the same endpoint. All others are compared
with the first. The service continues if this command is interrupted, and after a restart.
Exit codes: 0 the same, 1 outputs differ, 4 some could not be compared, 2, 3, 5 and 6 an error.`

const EXAMPLES = `
Examples:
  $ drydock compare old new --endpoint old --since 24h
  $ drydock compare old new --input-file inputs.jsonl --relative 0.001 --ignore '**.seed' --json
  $ drydock compare paint paint --ids 4f0c-l1 --set 2:3.cfg=7 --similarity 0.98`

export function addCompare(compare: CliCommand, surroundings: Surroundings): void {
  compare
    .usage('[options] <versions...> | <command>')
    .details(`${ABOUT}\nAll options: drydock compare start --help\n${EXAMPLES}`)
  startOptions(compare.command('start', { isDefault: true }), surroundings)
    .description('run stored jobs, or a file of inputs, on versions, and show the worst differences first')
    .details(`${ABOUT}\n${EXAMPLES}`)
    .action((versions: string[], options: StartOptions, command: CliCommand) =>
      start('compare', versions, options, command, surroundings),
    )

  compare
    .command('list')
    .description('list comparisons, newest first')
    .examples('drydock compare list')
    .onSession(async ({ client, output }) => {
      const { comparisons } = await client.call('comparisonList')
      output.list(
        { comparisons },
        'There are no comparisons.',
        ['ID', 'NAME', 'STARTED', 'STATE', 'VERDICT'],
        comparisons.map((one) => {
          const { id, name, createdAt, state, verdict } = one
          return [id, name, ago(createdAt, surroundings.now()), state, verdict?.text ?? progressOf(one)]
        }),
      )
    })

  compare
    .command('show')
    .description('show a comparison, with the worst differences first; the exit code is its verdict')
    .argument('<id>', 'id of the comparison')
    .option('--limit <count>', 'rows of the table', wholeNumber, 20)
    .examples('drydock compare show 7d0a2c9e --limit 50')
    .onSession(async ({ client, output }, comparisonId: string, options: { readonly limit: number }) => {
      await withOwnExitCodes(async () => {
        await show(client, output, await client.call('comparisonRead', { path: { comparisonId } }), options.limit)
      })
    })

  compare
    .command('stop')
    .description('stop a comparison, and cancel its jobs')
    .argument('<id>', 'id of the comparison')
    .option(...YES)
    .examples('drydock compare stop 7d0a2c9e')
    .onSession(async (session, comparisonId: string, options: CancelOptions) => {
      const { client, output } = session
      const jobs = { comparison: comparisonId }
      const what = (many: (noun: string) => string) =>
        `comparison ${comparisonId} and cancel its ${many('unfinished job')}`
      await confirmBulkCancel({ ...options, what, verb: 'stop', jobs }, session, surroundings)
      const answer = await client.call('comparisonStop', { path: { comparisonId } })
      output.result(answer, `comparison ${comparisonId} stopped`)
    })

  compare
    .command('remove')
    .description('delete a comparison; jobs on your own endpoints stay')
    .argument('<id>', 'id of the comparison')
    .option(...YES)
    .examples('drydock compare remove 7d0a2c9e')
    .onSession(async ({ client, output }, comparisonId: string, { yes }: { yes?: true }) => {
      const find = () => client.call('comparisonRead', { path: { comparisonId } })
      const what = `comparison ${comparisonId}`
      await confirmDeletion({ yes, find, what, question: `Delete ${what}?` }, output, surroundings)
      const answer = await client.call('comparisonDelete', { path: { comparisonId } })
      output.result(answer, `${what} removed`)
    })
}

export function addBisect(bisect: CliCommand, surroundings: Surroundings): void {
  startOptions(bisect, surroundings)
    .details(`${ABOUT}

Each round runs all inputs on one version; eight versions take three rounds.

Examples:
  $ drydock bisect v1 v2 v3 v4 v5 v6 v7 v8 --endpoint v1 --since 7d
  $ drydock bisect v1 v2 v3 v4 --input-file inputs.jsonl --similarity 0.95 --json`)
    .action((versions: string[], options: StartOptions, command: CliCommand) =>
      start('bisect', versions, options, command, surroundings),
    )
}

function startOptions(command: CliCommand, surroundings: Surroundings): CliCommand {
  const collect = <Value>(read: (text: string) => Value) => {
    return (text: string, before: readonly Value[] = []) => [...before, read(text)]
  }
  return addJobFilter(command, surroundings)
    .argument('<versions...>', 'endpoints, the reference first')
    .option('--ids <ids>', 'use the inputs of these jobs, separated by commas')
    .option('--input-file <file>', 'inputs: JSON lines, an export of jobs, or an exported job file')
    .renamedOption('--file', '--input-file')
    .option('--name <name>', 'name of the comparison')
    .option(
      '--image <number:image>',
      'another image for a version, numbered from 1; may be repeated',
      collect(ofVersion),
    )
    .option(
      '--set <number:name=value>',
      'input value for a version, like 2:3.cfg=7; may be repeated',
      collect(ofVersion),
    )
    .option('--absolute <difference>', 'absolute tolerance for numbers', decimal)
    .option('--relative <share>', 'relative tolerance for numbers, like 0.001', decimal)
    .option(
      '--ignore <path>',
      "ignore this path of the output, like meta.seed or '**.ms'; may be repeated",
      collect(String),
    )
    .option('--distance <colour>', 'colour difference, 0 to 255, above which a pixel differs', decimal)
    .option('--pixels <share>', 'share of pixels that may differ', decimal)
    .option('--similarity <ssim>', 'minimum structural similarity (SSIM) of pictures, like 0.98', decimal)
    .option('--slower <times>', 'a job differs if it takes this many times as long', decimal)
    .option('--at-once <jobs>', 'jobs queued or running at a time (default 16)', wholeNumber)
}

function ofVersion(value: string): VersionSetting {
  const [, number, text] = /^(\d{1,3}):(.+)$/s.exec(value) ?? []
  if (number === undefined || text === undefined)
    throw new InvalidArgumentError('It must begin with the number of a version, like 2:...')
  return { number: Number(number), text }
}

async function start(
  mode: ComparisonMode,
  versions: readonly string[],
  options: StartOptions,
  command: CliCommand,
  surroundings: Surroundings,
): Promise<void> {
  const body = await bodyOf(mode, versions, options, surroundings)
  const { client, output } = await openSession(command, surroundings)
  await withOwnExitCodes(async () => {
    const ended = await withSpinner(`comparing ${versions.join(', ')}`, { output, surroundings }, async (report) => {
      let one = await client.call('comparisonCreate', { bodyText: writeExact(body) })
      const { id: comparisonId } = one
      const continues = () =>
        `Comparison ${comparisonId} continues; \`drydock compare show ${comparisonId}\` shows it, \`drydock compare stop ${comparisonId}\` stops it.`
      return following(continues, { output, surroundings }, async () => {
        while (one.state === 'running') {
          report(`${progressOf(one)}. ${(await readWaits(client, one)).join(' ')}`.trim())
          await surroundings.pause(FOLLOW_MS)
          one = await client.call('comparisonRead', { path: { comparisonId } })
        }
        return one
      })
    })
    await show(client, output, ended, ROWS)
  })
}

async function readWaits(client: ServiceClient, one: ComparisonView): Promise<readonly string[]> {
  const { endpoints } = await client.call('endpointList')
  return waitsOf(one, (endpointId) => endpoints.find(({ id }) => id === endpointId)?.waitingReason)
}

const FOLLOW_MS = 300
const ROWS = 20

async function bodyOf(
  mode: ComparisonMode,
  names: readonly string[],
  options: StartOptions,
  { cwd }: Surroundings,
): Promise<object> {
  const {
    ids,
    inputFile,
    name,
    set = [],
    image = [],
    atOnce,
    endpoint,
    status,
    batch,
    worker,
    search,
    since,
    until,
    ...rules
  } = options
  const filter = filterOf({ ...{ endpoint, status, batch, worker, search, since, until } } as JobFilterOptions)
  const given = [Object.keys(filter).length > 0 || undefined, ids, inputFile].filter((one) => one !== undefined)
  if (given.length !== 1)
    throw usageError('Choose the inputs: jobs by --endpoint, --since, --search and so on, or --ids, or --input-file.')
  for (const { number } of [...set, ...image])
    if (number < 1 || number > names.length)
      throw usageError(`There is no version ${number}: there are ${names.length}.`)
  const versions = names.map((endpointId, at) => {
    const own = set.filter(({ number }) => number === at + 1).map(({ text }) => settingOf(text))
    return {
      endpoint: endpointId,
      image: image.find(({ number }) => number === at + 1)?.text,
      ...(own.length === 0 ? {} : { set: Object.fromEntries(own) }),
    }
  })
  const inputs =
    inputFile !== undefined
      ? { file: await textOf(resolve(cwd, inputFile)) }
      : ids !== undefined
        ? { ids: ids.split(',') }
        : { filter }
  return { mode, name, versions, atOnce, rules, ...inputs }
}

function settingOf(text: string): readonly [name: string, value: string] {
  const at = text.indexOf('=')
  if (at < 1) throw usageError(`--set takes NUMBER:NAME=VALUE, like 2:3.cfg=7, not ${text}.`)
  return [text.slice(0, at), text.slice(at + 1)]
}

async function textOf(file: string): Promise<string> {
  const bytes = await readFile(file).catch((error: Error) => {
    throw unreadable(file, error)
  })
  if (bytes.length <= limit('comparisonFileBytes')) return bytes.toString()
  throw usageError(`${file} has ${bytes.length} bytes; the limit is ${limit('comparisonFileBytes')}. Split it.`)
}

// A refusal by the service must not look like different outputs.
async function withOwnExitCodes(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    const isPlain = error instanceof CliError && error.code !== 'OUTPUTS_DIFFER' && error.exitCode === EXIT_CODES.failed
    if (!isPlain) throw error
    throw new CliError('COMPARISON_REFUSED', { why: error.message }, { body: error.body, cause: error })
  }
}

async function show(client: ServiceClient, output: Output, one: ComparisonView, most: number): Promise<void> {
  const { rows, more } = await client.call('comparisonRows', { path: { comparisonId: one.id }, query: { limit: most } })
  output.result({ ...one, rows }, () => print(output, one, rows, more))
  const why = one.verdict?.text ?? ''
  if (one.verdict?.result === 'differs') throw new CliError('OUTPUTS_DIFFER', { why })
  if (one.verdict?.result === 'incomplete') throw new CliError('NOT_COMPARED', { why })
}

function print(output: Output, one: ComparisonView, rows: readonly ComparisonRow[], more: boolean): void {
  const span = (ms: number | undefined) => (ms === undefined ? '' : duration(ms))
  output.line(`${one.name} (${one.id}): ${one.verdict?.text ?? progressOf(one)}`)
  output.line()
  output.table(
    ['', 'VERSION', 'SAME', 'DIFFER', 'NOT COMPARED', 'P50', 'P95'],
    one.versions.map(({ name, same, differs, failed, p50Ms, p95Ms }, at) => [
      ...[String(at + 1), name, String(same), String(differs), String(failed), span(p50Ms), span(p95Ms)],
    ]),
  )
  const worst = rows.filter(({ outcome }) => outcome !== 'same')
  if (worst.length === 0) return
  output.line()
  output.table(
    ['INPUT', 'VERSION', 'JOB', 'WHERE', 'WHAT'],
    worst.map((row) => [
      ...[row.source, one.versions[row.version]?.name ?? '', row.jobId ?? '', row.differences[0]?.path ?? ''],
      summaryOf(row),
    ]),
  )
  if (more) output.note(`For more rows: drydock compare show ${one.id} --limit ${limit('listPageMax')}`)
}
