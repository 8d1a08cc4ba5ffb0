/**
 * Runs the blocks of the README and of the guide in order, as a newcomer would in a fresh clone: every command ends well
 * or shows what it says. Addresses, folders and names in the texts hold for whatever port is free.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, type TestContext, vi } from 'vitest'
import { parse as parseYaml } from 'yaml'
import { PREPARE_LIMIT_MS, preparePublicPython } from '../sdk/support-python.ts'
import { PATIENCE_MS } from '../support/patience.ts'
import { makeVenv } from '../support/python-venv.ts'
import { temporaryFolder } from './support-cli.ts'

const ROOT = join(import.meta.dirname, '..', '..')
// A command that takes so long hangs; what it printed then stands in the failure. In ms.
const COMMAND_LIMIT_MS = 120_000
const WRITTEN_ADDRESS = /127\.0\.0\.1:8790/g
vi.setConfig({ testTimeout: PREPARE_LIMIT_MS + 300_000 })

/** One fenced block: a file to write, commands to run, or lines of another language. */
type Block = { readonly language: string; readonly text: string }

/** An exception for commands, by the beginning of their line. The first row that fits counts. */
type Rule = {
  readonly line: RegExp
  /** Why the line is not run here. */
  readonly leftOut?: string
  /** It goes on by itself: it is ended as Ctrl+C does when this has been printed. */
  readonly until?: RegExp
  /** Expected output. */
  readonly prints?: RegExp
  /** Typed input. */
  readonly input?: string
}

const RULES: readonly Rule[] = [
  {
    line: /^drydock (image build|test \.\/worker --build|deploy \.\/worker|rollback --app worker)/,
    leftOut: 'it takes a repository with a Dockerfile, as test/docker/worker-repository.test.ts makes one',
  },
  {
    line: /^drydock (workflow image|test .*ghcr\.io)/,
    leftOut: 'it takes a ComfyUI to build from, as test/docker/workflow-image-journey.test.ts makes one',
  },
  { line: /^npm (start|test)$/, leftOut: 'the service runs already, and this is the test' },
  { line: /^(gpu-box|laptop)\$/, leftOut: 'it takes two machines' },
  {
    line: /huggingface\.co|^pip install (?!--index-url)|^drydock pod (?!list)|^drydock workflow lock /,
    leftOut: 'tests reach no other machine',
  },
  { line: /^drydock runsync greet /, prints: /Hello, Ada/ },
  { line: /^drydock logs greet -f$/, until: /[a-z]/ },
  { line: /^drydock runsync mine /, prints: /"n": ?1/ },
  { line: /^curl .*\/lb\/web\/hello$/, prints: /\{"message":"Hello"\}/ },
  { line: /^drydock requests web -f$/, until: /There are no requests yet/ },
  { line: /^drydock deploy --preview$/, until: /Ctrl\+C/ },
  { line: /^drydock deploy/, prints: /greet/ },
  { line: /^drydock env set TOKEN$/, input: 'a value\n' },
  { line: /python3 script\.py$/, prints: /Ada/ },
  { line: /^drydock runsync cat /, prints: /COMPLETED/ },
  { line: /^curl .*runsync$/, prints: /Hello, Ada/ },
]

const PRELUDES: Readonly<Record<string, { readonly program: readonly string[]; readonly text: string }>> = {
  js: {
    program: ['node', '--input-type=module', '-e'],
    text: "import runpodSdk from 'runpod-sdk'\nconst key = process.env.KEY\n",
  },
  python: { program: ['python3', '-c'], text: 'import os, runpod\nkey = os.environ["KEY"]\n' },
}

// Files of other programs, which are shown: they have to be what they say.
const SHOWN: Readonly<Record<string, (text: string) => unknown>> = {
  json: JSON.parse,
  yaml: parseYaml,
  dockerfile: (text) => /^RUN /.exec(text) ?? undefined,
}

/** A block with its page, a path from the root, and the section of that page. */
type PlacedBlock = Block & { readonly page: string; readonly section: string }

/** The blocks of a page. */
function blocksOf(page: string, content: string): readonly PlacedBlock[] {
  const found = content.matchAll(/^## (.+)$|^```(\w+)\n([\s\S]*?)^```$/gm)
  let section = ''
  return [...found].flatMap(([, heading, language = '', text = '']) => {
    section = heading ?? section
    return heading === undefined ? [{ page, section, language, text }] : []
  })
}

/** The README, then the pages of the guide in the order of their index, which has to list all of them. */
function readPages(): readonly string[] {
  const index = readFileSync(join(ROOT, 'docs', 'README.md'), 'utf8')
  const listed = [...index.matchAll(/\]\((guide\/[\w-]+\.md)\)/g)].map(([, page]) => `docs/${page}`)
  const written = readdirSync(join(ROOT, 'docs', 'guide')).map((name) => `docs/guide/${name}`)
  expect(listed.toSorted()).toEqual(written.toSorted())
  return ['README.md', ...listed]
}

/** Commands of a block, each on one line without its comment. */
function commandsOf(text: string): readonly string[] {
  const lines = text.replaceAll('\\\n', ' ').split('\n')
  return lines.map((line) => line.replace(/(^|\s+)# .*$/, '').trim()).filter((line) => line !== '')
}

/** The files that a clone would have, with the libraries and pages of this one, whose set-up has tests of its own. */
function freshClone(folder: string): string {
  const clone = join(folder, 'drydock')
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: ROOT })
  for (const path of listed.toString().split('\0').filter(Boolean)) {
    if (/^(test|\.github)\//.test(path)) continue
    mkdirSync(dirname(join(clone, path)), { recursive: true })
    cpSync(join(ROOT, path), join(clone, path))
  }
  // Links, because copying so many files takes longer than all commands. The clients in the README are those of the
  // tests.
  const copies = join(clone, 'node_modules')
  mkdirSync(copies)
  for (const libraries of [join(ROOT, 'node_modules'), join(ROOT, 'test', 'node_modules')].filter(existsSync))
    for (const name of readdirSync(libraries))
      if (!/^\.(?!bin$)/.test(name) && !existsSync(join(copies, name)))
        symlinkSync(join(libraries, name), join(copies, name))
  const isKept = (path: string) => !path.endsWith('compiled')
  cpSync(join(ROOT, 'node_modules', '.drydock'), join(copies, '.drydock'), { recursive: true, filter: isKept })
  execFileSync('cp', ['-a', join(ROOT, 'out'), join(clone, 'out')])
  return clone
}

/** Makes a graph draw a small picture, which takes 0.05 s of CPU time instead of 1 s. */
function shrinkPicture(path: string): void {
  const graph = JSON.parse(readFileSync(path, 'utf8'))
  const size = graph.nodes.find(({ type }: { readonly type: string }) => type === 'EmptyLatentImage')
  size.widgets_values.splice(0, 2, 64, 64)
  writeFileSync(path, JSON.stringify(graph))
}

/** A shell whose folder and variables last from one command to the next. */
function createShell(clone: string, env: NodeJS.ProcessEnv) {
  const state = join(clone, '..', 'shell-state')
  writeFileSync(state, `cd ${JSON.stringify(clone)}\n`)
  const running = new Set<ChildProcess>()
  onTestFinished(async () => {
    for (const child of running) {
      const closed = once(child, 'close')
      process.kill(-(child.pid ?? 0), 'SIGINT')
      await closed
    }
  })

  function start(command: string): { readonly child: ChildProcess; readonly printed: () => string } {
    const save = `trap 'code=$?; { declare -p KEY 2>/dev/null || true; echo "cd \\"$PWD\\""; } > ${JSON.stringify(state)}; exit $code' EXIT`
    const child = spawn('bash', ['-c', `. ${JSON.stringify(state)}; set -e -o pipefail; ${save}\n${command}`], {
      cwd: clone,
      env,
      // Ctrl+C reaches the whole group of a terminal.
      detached: true,
    })
    running.add(child)
    child.once('close', () => running.delete(child))
    let text = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
    return { child, printed: () => text }
  }

  return {
    /** Starts what goes on until the test ends. @returns what the expression captures of what it prints first */
    async keep(command: string, until: RegExp): Promise<string> {
      const { child, printed } = start(command)
      const found = () => until.exec(printed())?.[1] ?? ''
      await vi.waitFor(
        () =>
          expect([child.exitCode, printed(), found()]).toEqual([null, expect.anything(), expect.stringMatching(/./)]),
        {
          timeout: 120_000,
        },
      )
      return found()
    },
    async run(command: string, { input = '', until }: Pick<Rule, 'input' | 'until'> = {}) {
      const { child, printed } = start(command)
      // A command may end without reading what is typed.
      child.stdin?.once('error', () => undefined).end(input)
      const closed = once(child, 'close').then(([code]) => code as number | null)
      const end = (signal: 'SIGINT' | 'SIGKILL') => child.exitCode === null && process.kill(-(child.pid ?? 0), signal)
      if (until === undefined) {
        const limit = setTimeout(end, COMMAND_LIMIT_MS, 'SIGKILL')
        const code = await closed
        clearTimeout(limit)
        return { code, printed: printed() }
      }
      const met = await vi
        .waitFor(() => expect(`${child.exitCode ?? ''} ${printed()}`).toMatch(until), { timeout: PATIENCE_MS })
        .then(
          () => 0,
          () => 1,
        )
      end('SIGINT')
      await closed
      return { code: met, printed: printed() }
    },
  }
}

/** A fresh clone with `npm start` running in it, a home of its own, and what the README takes for granted. */
async function newcomer(dockerHost: string) {
  const folder = temporaryFolder()
  const clone = freshClone(folder)
  const publicPython = await preparePublicPython()
  const tools = dirname(publicPython.python)
  await makeVenv(join(folder, 'venv'))
  const env = {
    ...Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !/^(SVC_|DRYDOCK_|npm_|VITEST|NODE_COMPILE_CACHE)/.test(name)),
    ),
    HOME: join(folder, 'home'),
    npm_config_prefix: join(folder, 'prefix'),
    // Where this machine says how npm reaches its registry.
    npm_config_userconfig: process.env.npm_config_userconfig ?? join(homedir(), '.npmrc'),
    VIRTUAL_ENV: join(folder, 'venv'),
    // runpod, fastapi and uvicorn as a user of them has them.
    PYTHONPATH: execFileSync(publicPython.python, ['-c', 'import site; print(site.getsitepackages()[0])'], {
      encoding: 'utf8',
    }).trim(),
    PATH: [join(folder, 'venv', 'bin'), join(folder, 'prefix', 'bin'), tools, process.env.PATH].join(':'),
    DOCKER_HOST: dockerHost,
    NO_COLOR: '1',
  }
  shrinkPicture(join(clone, 'resources', 'workflows', 'text-to-picture.json'))
  mkdirSync(join(clone, 'models'))
  for (const folder of ['models', 'more/loras']) mkdirSync(join(env.HOME, 'ComfyUI', folder), { recursive: true })
  const paths = 'more:\n  base_path: ~/ComfyUI/more\n  loras: loras\n'
  writeFileSync(join(env.HOME, 'ComfyUI', 'extra_model_paths.yaml'), paths)
  writeFileSync(join(clone, 'token.txt'), 'a password\n')
  const shell = createShell(clone, env)
  const installed = await shell.run('npm install --global . --no-audit --no-fund')
  expect(installed).toEqual({ ...installed, code: 0 })
  const url = await shell.keep('npm start', /address\s+(http:\S+).*The endpoint sketch/s)
  // Another service may have the usual port, which scripts ask by themselves.
  Object.assign(env, { SVC_BASE_URL: url })
  return { clone, shell, address: url.replace('http://', ''), ready: publicPython }
}

/**
 * Runs one block. @returns the commands that failed or printed something unexpected, with exit code and output
 * @param isRun whether to run a command
 */
async function runBlock(
  { language, text }: Block,
  { clone, shell }: Pick<Awaited<ReturnType<typeof newcomer>>, 'clone' | 'shell'>,
  isRun: (command: string) => boolean,
) {
  const file = /^# (\S+\.py)\n/.exec(text)?.[1]
  if (file !== undefined) {
    await shell.run(`cat > ${file}`, { input: text })
    return []
  }
  const readShown = SHOWN[language]
  if (readShown !== undefined) {
    expect(readShown(text)).toBeTypeOf('object')
    return []
  }
  const prelude = PRELUDES[language]
  if (prelude !== undefined) {
    // The definition that `drydock init` writes, shown only.
    if (text.includes('from svc import Endpoint')) return []
    const path = join(clone, 'snippet')
    writeFileSync(path, `${prelude.text}${text}`)
    const { code, printed } = await shell.run(`export KEY; ${prelude.program.join(' ')} "$(cat ${path})"`)
    return code === 0 ? [] : [{ text, code, printed }]
  }
  const failed: { readonly text: string; readonly code: number | null; readonly printed: string }[] = []
  for (const command of commandsOf(text)) {
    const rule = RULES.find(({ line }) => line.test(command))
    if (rule?.leftOut !== undefined || !isRun(command)) continue
    const { code, printed } = await shell.run(command, rule)
    if (code !== 0 || !(rule?.prints ?? /^/).test(printed)) failed.push({ text: command, code, printed })
  }
  return failed
}

/** Pages and sections for the first minutes: from the clone to answers of handlers, a worker and a web app. */
const FIRST = [
  'README.md Start',
  'README.md Serve a handler',
  'docs/guide/serve-a-handler.md',
  'docs/guide/serve-a-web-app.md',
]

/** Pages and sections whose commands start containers if there is an engine. */
const CONTAINERS = [
  'README.md Run an image',
  'README.md Preview and deploy an app',
  'docs/guide/run-an-image.md',
  'docs/guide/preview-and-deploy.md',
]

// Other pages need these commands of the first ones, and the files that those write.
const TAKEN = /^(drydock endpoint create greet|KEY=)/

/**
 * Runs blocks in a fresh clone, with the engine at this address; skips if the Python packages cannot be installed.
 * @param part the first pages and sections, those that start containers, or all but the first
 */
export async function expectPagesRun(
  dockerHost: string,
  { skip }: Pick<TestContext, 'skip'>,
  part: 'first' | 'later' | 'containers',
): Promise<void> {
  const place = await newcomer(dockerHost)
  if (!place.ready.ready) return skip(place.ready.reason)
  const read = (page: string) => readFileSync(join(ROOT, page), 'utf8').replace(WRITTEN_ADDRESS, place.address)
  const blocks = readPages().flatMap((page) => blocksOf(page, read(page)))
  const namesOf = ({ page, section }: PlacedBlock) => [page, `${page} ${section}`]
  expect(blocks.flatMap(namesOf)).toEqual(expect.arrayContaining([...FIRST, ...CONTAINERS]))
  const isOf = (names: readonly string[], block: PlacedBlock) => namesOf(block).some((name) => names.includes(name))
  // A page repeats commands of the pages before it, so that it can be read alone: an endpoint is created once.
  const pageOf = new Map<string, string>()
  const failed = []
  for (const block of blocks) {
    const isPart = part === 'later' ? !isOf(FIRST, block) : isOf(part === 'first' ? FIRST : CONTAINERS, block)
    if (!isPart && (part === 'first' || !isOf(FIRST, block))) continue
    const isRun = (command: string) => {
      if (!isPart && !TAKEN.test(command)) return false
      if (!pageOf.has(command)) pageOf.set(command, block.page)
      return command.startsWith('cd ') || pageOf.get(command) === block.page
    }
    failed.push(...(await runBlock(block, place, isRun)))
  }
  expect(failed).toEqual([])
}
