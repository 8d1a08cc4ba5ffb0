/** The files that a build here takes from a project, against those that the unmodified package takes. */
import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { seededRandom } from '../../src-main/features/what-if/rules/load-patterns.ts'
import { temporaryFolder } from '../e2e/support-cli.ts'
import { PREPARE_LIMIT_MS, preparePublicApps } from './support-python.ts'

const PACKAGES = fileURLToPath(new URL('../../resources/python', import.meta.url))
const PACK = fileURLToPath(new URL('python/package_projects.py', import.meta.url))
const PROJECTS = 50
const FILES = 40
const MAX_RULES = 7

// Spaces part the words of each table.
const FOLDERS = [
  '. . . src src src/deep data data/raw a/b a/b/c models tests src/tests test venv src/env env .tox node_modules/x',
  'src/__pycache__ .aws src/.aws .ssh .azure .kube .docker src/.docker secrets docs build',
]
const NAMES = [
  'app.py main.py x.bin x1.bin keep.bin n.txt m.txt weights.safetensors README.md model.tar.gz x.pyc .DS_Store',
  'test_x.py x_test.py .env .env.local .env.example prod.env prod.env.yaml server.pem deploy.key id_rsa id_rsa.pub',
  'id_ed25519 id_generator.py config config.json credentials .netrc .npmrc .pypirc .git-credentials .boto',
  'service-account.json service_account_2.json key.py environment.py runpod_manifest.json credentials.json ca.p12',
]
const RULES = [
  '*.bin !keep.bin !*.bin x?.bin [k-x]*.bin **/x.bin src/**/n.txt *.txt !n.txt m.txt /n.txt !src/n.txt',
  'data/ !data/ data/* !data/raw/ data/raw a/ a/b/ a/* !a/b/ !a/b/keep.bin /src src/deep !src/deep models/ !models',
  'secrets/ !secrets/ docs *.md !README.md #comment \\#x *.py !app.py !main.py',
  '!tests/ !src/tests/ !test/ !test_*.py !x_test.py !*.tar.gz !.tox/ !node_modules/ !venv/ !src/env/ !env/ !.DS_Store',
  '!.env !.env* !*.pem !*.key !.aws/ !.ssh/ !.ssh/id_rsa !id_rsa !credentials !.netrc !runpod_manifest.json',
]
// Files that builds here also leave out: docs/spec/app-deploy.md, 4.
const BEYOND = [
  /^runpod_manifest\.json$/,
  /(^|\/)(\.gitignore|\.runpodignore|\.env\.[a-z]+|credentials\.json|ca\.p12|[^/]*\.pyc|\.DS_Store)$/,
  /(^|\/)__pycache__\//,
  /^(docs|build)\//,
]

let packages: Awaited<ReturnType<typeof preparePublicApps>>
beforeAll(async () => {
  packages = await preparePublicApps()
}, PREPARE_LIMIT_MS)
beforeEach(({ skip }) => skip(!packages.ready, packages.reason))

test('are the same for fifty made-up projects, except for those that are left out only here', async () => {
  const root = temporaryFolder()
  const projects = Array.from({ length: PROJECTS }, (_, seed) => join(root, `${seed}`))
  const rules = projects.map((project, seed) => writeProject(project, seededRandom(seed)))
  const args = [PACK, join(root, 'packed.tar.gz'), ...projects]
  const env = { ...process.env, PYTHONPATH: PACKAGES }
  const { stdout } = await promisify(execFile)(packages.python, args, { env, maxBuffer: 2 ** 26 })
  const packed: readonly { readonly theirs: readonly string[]; readonly ours: readonly string[] }[] = JSON.parse(stdout)
  for (const [seed, { theirs, ours }] of packed.entries()) {
    const expected = theirs.filter((file) => !BEYOND.some((pattern) => pattern.test(file)))
    expect({ seed, rules: rules[seed], files: ours }).toEqual({ seed, rules: rules[seed], files: expected })
  }
  // Some files, but not all.
  const count = packed.flatMap(({ ours }) => ours).length
  expect(count).toBeGreaterThan(PROJECTS * 3)
  expect(count).toBeLessThan((PROJECTS * FILES) / 2)
})

/** Writes a project. @returns the texts of its ignore files */
function writeProject(project: string, random: () => number): Readonly<Record<string, string>> {
  const words = (table: readonly string[]) => table.flatMap((line) => line.split(' '))
  const oneOf = (table: readonly string[]) => words(table)[Math.floor(random() * words(table).length)] ?? ''
  const times = (count: number, make: () => string) => Array.from({ length: count }, make)
  const ruleText = () => `${times(Math.ceil(random() * MAX_RULES), () => oneOf(RULES)).join('\n')}\n`
  const ignoreFiles = ['.gitignore', '.runpodignore', 'src/.gitignore', 'a/b/.gitignore', 'data/.gitignore']
  const rules = Object.fromEntries(ignoreFiles.filter(() => random() < 0.6).map((file) => [file, ruleText()]))
  const files = times(FILES, () => join(oneOf(FOLDERS), oneOf(NAMES)))
  for (const [file, text] of [...files.map((one) => [one, ''] as const), ...Object.entries(rules)]) {
    mkdirSync(dirname(join(project, file)), { recursive: true })
    writeFileSync(join(project, file), text)
  }
  return rules
}
