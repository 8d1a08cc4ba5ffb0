/**
 * `npm run test:soak -- [--report] [--keep] [--proofs] [--last] [--share PART] [FILE ...]`: the soak, with all further arguments given to
 * vitest. With --report it writes RELIABILITY.md from what was seen, and runs the tests of `npm run test:all` that prove the
 * other rows too, where no files are named; --proofs runs only these. --keep adds to the results of earlier runs, so
 * that a soak can be run in pieces; --last only writes from them. --share 0.05 makes each fault a twentieth as often; the document says so.
 */
import { spawnSync } from 'node:child_process'
import { appendFileSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { measuredOn } from '../support/measured-on.ts'
import { type RunLine, readResults, reliabilityText } from './report/reliability.ts'
import { PROOFS, readSafetyRows, readSoakTests } from './report/safety-rows.ts'
import { readSoakOptions } from './report/soak-options.ts'

const ROOT = join(import.meta.dirname, '..', '..')
// Next to the report and not in a temporary folder: a soak of hours is run in pieces, on several days.
const RESULTS = join(ROOT, 'test', 'soak', 'report', 'outcomes.jsonl')

const { report, keep, proofs, last, share, rest } = readSoakOptions(process.argv.slice(2))
const env = { ...process.env, ...(share === undefined ? {} : { SOAK_SHARE: String(share) }) }

function vitest(args: readonly string[], variables: Readonly<Record<string, string>>): number {
  const shell = process.platform === 'win32' // where the command is a script
  const options = { cwd: ROOT, stdio: 'inherit', shell, env: { ...env, ...variables } } as const
  return spawnSync('vitest', ['run', ...args], options).status ?? 1
}

if (report && !last) {
  if (!keep) rmSync(RESULTS, { force: true })
  const run: RunLine = {
    kind: 'run',
    at: new Date().toISOString(),
    on: await measuredOn(),
    chosen: proofs ? ['--proofs'] : rest,
  }
  appendFileSync(RESULTS, `${JSON.stringify(run)}\n`)
}
const variables: Record<string, string> = report ? { SAFETY_RESULTS: RESULTS } : {}
const codes: number[] = []
if (!proofs && !last) codes.push(vitest(['--project=soak', ...rest], variables))
if (!last && (proofs || (report && rest.length === 0))) {
  const files = [...new Set(Object.values(PROOFS).flatMap((proofs) => proofs.map(({ file }) => file)))]
  codes.push(vitest(['--project=!soak', '--project=!platform', ...files], variables))
}
if (report) {
  const rows = readSafetyRows(readFileSync(join(ROOT, 'docs', 'spec', 'targets.md'), 'utf8'))
  const paths = globSync('test/soak/**/*.test.ts', { cwd: ROOT }).map((path) => path.replaceAll('\\', '/'))
  const tests = readSoakTests(Object.fromEntries(paths.map((path) => [path, readFileSync(join(ROOT, path), 'utf8')])))
  const results = readResults(readFileSync(RESULTS, 'utf8'))
  writeFileSync(join(ROOT, 'RELIABILITY.md'), reliabilityText({ rows, tests, results }))
  process.stdout.write(`RELIABILITY.md is written from ${RESULTS}\n`)
}
process.exitCode = codes.find((code) => code !== 0) ?? 0
