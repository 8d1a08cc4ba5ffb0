import { readFile, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { z } from 'zod'
import { CliError, unreadable, usageError } from '../../../app/cli/cli-error.ts'
import { fileProblem, type HubFile, hubFile, workerTests } from '../../../contract/worker-repository.ts'
import { errorCode } from '../../../lib/error-code.ts'
import { isRecord, parseExact } from '../../../lib/json/plain.ts'
import { answerProblem, hubDefaults, hubSettings } from '../../apps/rules/worker-form.ts'
import type { EndpointSettings } from './endpoint-options.ts'

export type WorkerTest = {
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
  /** Time limit in ms; undefined: that of the endpoint. */
  readonly timeoutMs: number | undefined
}

export type TestPlan = {
  readonly tests: readonly WorkerTest[]
  readonly env: Readonly<Record<string, string>>
  readonly gpu: string | undefined
  readonly gpuCount: number
}

const FOLDERS = ['.runpod', '.']

const TEST_INPUT = 'test_input.json'

export async function readTestPlan(folder: string): Promise<TestPlan> {
  const [listed, single] = await Promise.all([readNamed(folder, 'tests.json'), readNamed(folder, TEST_INPUT)])
  if (listed === undefined && single === undefined)
    throw usageError(`${folder} has no tests: neither .runpod/tests.json nor ${TEST_INPUT} is there.`)
  const { tests, config } = listed === undefined ? { tests: [], config: undefined } : parsed(workerTests, listed)
  const { env = [], gpuTypeId, gpuCount = 1 } = config ?? {}
  return {
    tests: [
      ...tests.map(({ name, input, timeout }) => ({ name, input, timeoutMs: timeout })),
      ...(single === undefined ? [] : [singleTest(single)]),
    ],
    env: Object.fromEntries(env.map(({ key, value }) => [key, value])),
    gpu: gpuTypeId,
    gpuCount,
  }
}

async function readHubFile(folder: string): Promise<HubFile> {
  const file = await readNamed(folder, 'hub.json')
  if (file === undefined) throw usageError(`${folder} has no .runpod/hub.json.`)
  return parsed(hubFile, file)
}

export type HubOptions = { readonly hub?: string; readonly preset?: string }

export async function hasHubFile(folder: string): Promise<boolean> {
  return (await readNamed(folder, 'hub.json')) !== undefined
}

type Answering = { readonly known: readonly string[]; readonly option: string }

/**
 * Adds the repository form's settings; typed ones win.
 * @param cwd base folder of `--hub`
 * @throws CliError USAGE for an unknown preset or a wrong answer, FILE_INVALID
 */
export async function withHub(
  settings: EndpointSettings,
  { hub, preset }: HubOptions,
  cwd: string,
  { known, option }: Answering = { known: [], option: '--env' },
): Promise<EndpointSettings> {
  if (hub === undefined) {
    if (preset !== undefined) throw usageError('--preset needs --hub FOLDER.')
    return settings
  }
  const file = await readHubFile(resolve(cwd, hub))
  const presets = file.config.presets.map(({ name }) => name)
  if (preset !== undefined && !presets.includes(preset))
    throw usageError(`There is no preset "${preset}". There are: ${presets.join(', ') || 'none'}.`)
  const answers = { ...hubDefaults(file, preset), ...settings.env }
  const problems = file.config.env
    .filter(({ key }) => answers[key] || !known.includes(key))
    .map((variable) => answerProblem(variable, answers[variable.key] ?? ''))
  const problem = problems.find((found) => found !== undefined)
  if (problem !== undefined) throw usageError(`${problem}. Set it with ${option} NAME=VALUE.`)
  const { env, gpu, gpuCount, diskBytes } = hubSettings(file, answers)
  if (settings.container === undefined) return { ...settings, env }
  const asked = {
    ...(gpu === undefined ? {} : { gpu, gpuCount }),
    ...(diskBytes === undefined ? {} : { diskBytes }),
  }
  return { ...settings, env, container: { ...asked, ...settings.container } }
}

const HANDLERS = ['handler.py', 'rp_handler.py', 'src/handler.py', 'src/rp_handler.py', 'main.py', 'src/main.py']

export async function findHandler(folder: string): Promise<string | undefined> {
  for (const name of FOLDERS.flatMap((at) => HANDLERS.map((handler) => join(folder, at, handler)))) {
    const found = await stat(name).catch(() => undefined)
    if (found?.isFile() === true) return name
  }
  return undefined
}

type NamedText = { readonly path: string; readonly text: string }

async function readNamed(folder: string, name: string): Promise<NamedText | undefined> {
  for (const at of FOLDERS) {
    const path = join(folder, at, name)
    try {
      return { path, text: await readFile(path, 'utf8') }
    } catch (error) {
      const code = errorCode(error)
      if (code !== 'ENOENT' && code !== 'ENOTDIR') throw unreadable(path, error)
    }
  }
  return undefined
}

function parsed<Schema extends z.ZodType>(schema: Schema, file: NamedText): z.infer<Schema> {
  const { data, error } = schema.safeParse(jsonIn(file))
  if (error !== undefined) throw new CliError('FILE_INVALID', { file: file.path, why: fileProblem(error) })
  return data as z.infer<Schema>
}

// Numbers keep their text: a seed may exceed 2^53.
function jsonIn({ path, text }: NamedText): unknown {
  try {
    return parseExact(text)
  } catch (error) {
    const why = error instanceof Error ? error.message.split('\n', 1)[0] : String(error)
    throw new CliError('FILE_INVALID', { file: path, why: `it is not valid JSON: ${why}` }, { cause: error })
  }
}

function singleTest(file: NamedText): WorkerTest {
  const value = jsonIn(file)
  if (!isRecord(value) || !isRecord(value.input))
    throw new CliError('FILE_INVALID', { file: file.path, why: 'it has no object `input`' })
  return { name: TEST_INPUT, input: value.input, timeoutMs: undefined }
}
