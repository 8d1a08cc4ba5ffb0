/**
 * `npm run test:platform -- [--update] [FILE ...]`: runs the tests of `test/sdk` with the newest release of each public client,
 * and prints what is new since the last run. `--update` writes seen.json, the record of the last run.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { CACHE, npmInstall } from '../sdk/support-packages.ts'
import { CLIENT_NAMES, isOfPlatform, newestVersion, requirement, SEEN } from './clients.ts'
import { compare, compareWords, type Seen } from './compare.ts'
import { type Exchange, fieldNames, readCalls } from './read-exchanges.ts'
import { wordsOf } from './words.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const FOLDER = join(CACHE, 'platform')
const EXCHANGES = join(FOLDER, 'exchanges.jsonl')
const PRELOAD = new URL('preload.ts', import.meta.url).href

const { values, positionals: files } = parseArgs({ options: { update: { type: 'boolean' } }, allowPositionals: true })
const say = (line: string) => process.stdout.write(`${line}\n`)

const last: Seen = JSON.parse(readFileSync(SEEN, 'utf8'))
const versions = Object.fromEntries(CLIENT_NAMES.map((client) => [client, newestVersion(client)] as const))
const isPassed = runTests()
const exchanges = readExchanges()
const now: Seen = { versions, ...readCalls(exchanges) }

const news = [...compare(last, now), ...(await compareVersions())]
say(news.length === 0 ? 'Nothing is new since the last run.' : news.join('\n'))
if (values.update) record()
process.exitCode = isPassed && (news.length === 0 || values.update) ? 0 : 1

function runTests(): boolean {
  mkdirSync(FOLDER, { recursive: true })
  rmSync(EXCHANGES, { force: true })
  writeFileSync(join(FOLDER, 'versions.json'), JSON.stringify(versions))
  const [npm = '', ...args] = npmInstall(
    FOLDER,
    ...(['javascript', 'openaiJavascript'] as const).map((client) => requirement(client, versions[client] ?? '')),
  )
  execFileSync(npm, args, { stdio: 'inherit' })
  const options = `${process.env.NODE_OPTIONS ?? ''} --import ${PRELOAD}`
  const env = { ...process.env, PLATFORM_WATCH: FOLDER, NODE_OPTIONS: options }
  const { status } = spawnSync('vitest', ['run', '--project=platform', ...files], { cwd: ROOT, stdio: 'inherit', env })
  return status === 0
}

function readExchanges(): readonly Exchange[] {
  const lines = readFileSync(EXCHANGES, 'utf8').split('\n')
  return lines.flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
}

async function compareVersions(): Promise<readonly string[]> {
  const answered = new Set(exchanges.flatMap((exchange) => fieldNames(exchange.answered)))
  const lines: string[] = []
  for (const client of CLIENT_NAMES) {
    const [before = '', after = ''] = [last.versions[client], versions[client]]
    if (before === after) continue
    lines.push(`${requirement(client, before)} is ${after} now.`)
    if (!isOfPlatform(client)) continue
    const words = compareWords(await wordsOf(client, before), await wordsOf(client, after), answered)
    lines.push(...words.map((word) => `  ${word}`))
  }
  return lines
}

function record(): void {
  if (!isPassed || files.length > 0) say('Not recorded: that takes a run of all files in which all tests pass.')
  else {
    writeFileSync(SEEN, JSON.stringify(now))
    execFileSync('biome', ['format', '--write', SEEN])
  }
}
