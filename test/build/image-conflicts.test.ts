import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { type ImageConflict, LOCK_SCHEMA, workflowLock } from '../../src-main/contract/worker-images.ts'
import { createNodeReader } from '../../src-main/features/worker-images/adapters/read-node-package.ts'
import { createPythonResolver } from '../../src-main/features/worker-images/adapters/resolve-python.ts'
import { findConflicts, type ImageFacts } from '../../src-main/features/worker-images/rules/conflicts.ts'
import { PYTHON_PACKAGES } from '../../src-main/shipped-files/root.ts'
import { prepareUv } from '../sdk/support-python.ts'
import { makeRepository, type NodePackageContent, writeNodePackage } from '../support/node-packages.ts'
import { makeWheels, onlyWheelsOf } from '../support/wheels.ts'

const uv = await prepareUv()
const root = mkdtempSync(join(tmpdir(), 'drydock-conflicts-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const index = join(root, 'index')
const elsewhere = join(root, 'elsewhere')
for (const folder of [index, elsewhere]) mkdirSync(folder)
const versions = (name: string, ...those: readonly string[]) => those.map((version) => ({ name, version }))
makeWheels(index, [
  ...versions('numlib', '1.0', '1.5', '2.0'),
  ...versions('safelib', '1.0', '1.1'),
  ...versions('torch', '2.5.1', '2.6.0'),
  ...versions('numpy', '1.26.4', '2.1.0'),
  ...versions('opencv-python', '4.10.0'),
  ...versions('opencv-python-headless', '4.10.0'),
  ...versions('onnxruntime', '1.20.0'),
  ...versions('onnxruntime-gpu', '1.20.0'),
  { name: 'upscale', needs: ['numlib<2'] },
  { name: 'facelib', needs: ['numlib>=2'] },
  { name: 'deep', version: '1.0', needs: ['upscale==1.0'] },
  { name: 'deep', version: '1.1', needs: ['upscale>=1.0'] },
  { name: 'deeper', needs: ['deep'] },
  { name: 'wide', needs: ['facelib', 'safelib'] },
  { name: 'one-of', needs: ['numlib>=1,!=1.5,<2'] },
  { name: 'ghostly', needs: ['ghost>=1'] },
  { name: 'ghostlier', needs: ['ghostly'] },
  { name: 'newpy', version: '1.0', python: '>=3.13' },
  { name: 'newpy', version: '2.0', python: '>=3.14' },
  { name: 'movedon', version: '1.0' },
  { name: 'movedon', version: '2.0', python: '>=3.13' },
  { name: 'needs-newpy', needs: ['newpy'] },
  { name: 'native', tag: 'cp312-cp312-manylinux_2_17_x86_64' },
  { name: 'native-here', tag: 'cp311-cp311-manylinux_2_17_x86_64' },
  { name: 'stable-abi', tag: 'cp38-abi3-manylinux2014_x86_64' },
  { name: 'winonly', tag: 'cp311-cp311-win_amd64' },
  { name: 'maconly', tag: 'py3-none-macosx_11_0_arm64' },
  { name: 'attention', needs: ['torch==2.6.0'] },
  { name: 'oldattention', needs: ['torch<2'] },
  { name: 'anytorch', version: '1.0', needs: ['torch>=2.5,<2.6', 'numpy'] },
  { name: 'anytorch', version: '2.0', needs: ['torch>=2.6'] },
  { name: 'needs-attention', needs: ['attention'] },
  { name: 'cublas-user', needs: ['nvidia-cublas-cu11'] },
  { name: 'nvidia-cublas-cu11', version: '11.11.3', tag: 'py3-none-manylinux2014_x86_64' },
  { name: 'nvidia-cublas-cu12', version: '12.4.5', tag: 'py3-none-manylinux2014_x86_64' },
  { name: 'cupy-cuda11x', version: '13.0' },
  { name: 'cupy-cuda12x', version: '13.0' },
  { name: 'spconv-cu118', version: '2.3' },
  { name: 'gpu-extra', extras: ['gpu'], needs: ['numlib<2; extra == "gpu"'] },
])
makeWheels(elsewhere, [
  { name: 'addressed', version: '1.0' },
  { name: 'torch', version: '2.5.1+cu121' },
  { name: 'torch', version: '2.6.0+cu124' },
  { name: 'compiled', tag: 'cp310-cp310-linux_x86_64' },
  { name: 'windows', tag: 'cp311-cp311-win_amd64' },
])
const project = (name: string, needs: readonly string[], more = '') =>
  `[project]\nname = "${name}"\nversion = "1.2"\ndependencies = ${JSON.stringify(needs)}\n${more}`
const repository = (name: string, files: Record<string, string>) => {
  const folder = join(root, 'repositories', name)
  mkdirSync(folder, { recursive: true })
  makeRepository(folder, files)
  return `git+${pathToFileURL(folder)}`
}
const GITLIB = repository('gitlib', { 'pyproject.toml': project('gitlib', ['numlib<2']) })
const GIT_NEWPY = repository('gitnew', { 'pyproject.toml': project('gitnew', [], 'requires-python = ">=3.13"') })
const GITLIB_FORK = repository('gitlib-fork', { 'pyproject.toml': project('gitlib', ['numlib<2']) })
// Its requirements are known only to its own program, which needs no other package.
const SETUP = repository('setuplib', {
  'pyproject.toml': '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n',
  'backend.py': `import pathlib
def prepare_metadata_for_build_wheel(folder, config_settings=None):
    info = pathlib.Path(folder) / "setuplib-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\\nName: setuplib\\nVersion: 1.0\\nRequires-Dist: safelib\\n")
    (info / "WHEEL").write_text("Wheel-Version: 1.0\\nTag: py3-none-any\\n")
    return info.name
def build_wheel(folder, config_settings=None, metadata_directory=None):
    raise NotImplementedError
`,
})
const wheelAt = (file: string) => String(pathToFileURL(join(elsewhere, file)))

const resolvePython = createPythonResolver({
  env: { ...process.env, PATH: `${join(uv.folder, 'bin')}${delimiter}${process.env.PATH}`, ...onlyWheelsOf(index) },
  uvFolder: uv.folder,
})
const readNodeFacts = createNodeReader({ packages: PYTHON_PACKAGES, env: process.env })

type Given = Partial<Omit<ImageFacts, 'lock' | 'python'>> & {
  readonly nodes?: Readonly<Record<string, NodePackageContent>>
  readonly comfyui?: string
  readonly base?: {
    readonly python?: string
    readonly cuda?: string | undefined
    readonly provides?: Record<string, string>
  }
  readonly models?: readonly object[]
  readonly accept?: readonly string[]
}

const BASE = { python: '3.11', cuda: '12.1', provides: { torch: '2.5.1+cu121', numpy: '1.26.4' } }
const COMFYUI = 'numlib\nsafelib>=1.0\ntorch\nnumpy>=1.25.0\n'
let made = 0

/** From repositories of node packages to conflicts, as a lock is made. */
async function conflictsOf({ nodes = {}, base, models = [], accept = [], comfyui = COMFYUI, ...facts }: Given) {
  const image = { image: 'base', ...BASE, ...base }
  const locked = await Promise.all(
    Object.entries(nodes).map(async ([name, content]) => {
      const path = join(root, 'nodes', `${++made}-${name}`)
      writeNodePackage(path, content)
      const { classes, requirements, python, comfyui: wanted, licence } = await readNodeFacts(path)
      return { name, source: { path }, classes, requirements, python, comfyui: wanted, licence }
    }),
  )
  const resolved = await resolvePython({
    requirements: [
      { from: 'ComfyUI', text: comfyui },
      ...locked.map(({ name, requirements }) => ({ from: name, text: requirements.join('\n') })),
    ],
    provides: image.provides,
    python: image.python,
    sources: accept.flatMap((text) => (text.startsWith('source:') ? text.slice('source:'.length) : [])),
  })
  const lock = workflowLock.parse({
    schema: LOCK_SCHEMA,
    comfyui: { version: '0.3.50', repository: 'comfyui', commit: 'c'.repeat(40) },
    base: image,
    nodes: locked,
    python: 'packages' in resolved ? resolved.packages : [],
    models,
    accept,
  })
  const python = 'packages' in resolved ? resolved.warnings : resolved.conflicts
  return { lock, conflicts: findConflicts({ lock, python, ...facts }) }
}

const asks = (requirements: string): NodePackageContent => ({ requirements })
type Planted = readonly [code: ImageConflict['code'], ...words: readonly string[]]
const PLANTED: readonly (readonly [title: string, given: Given, ...expected: readonly Planted[]])[] = [
  // Versions that exclude each other.
  [
    'two packages ask for versions that exclude each other',
    { nodes: { Faces: asks('numlib>=2'), Upscaler: asks('numlib<2') } },
    ['python_versions', 'Faces asks for numlib>=2', 'Upscaler asks for numlib<2', 'No version of numlib'],
  ],
  [
    'each through another package',
    { nodes: { Faces: asks('facelib'), Upscaler: asks('upscale') } },
    [
      'python_versions',
      'Faces asks for facelib, which needs numlib>=2',
      'Upscaler asks for upscale, which needs numlib<2',
    ],
  ],
  [
    'one directly, one through another package',
    { nodes: { Faces: asks('numlib==2.0'), Upscaler: asks('upscale') } },
    ['python_versions', 'Faces asks for numlib==2.0', 'Upscaler asks for upscale, which needs numlib<2'],
  ],
  [
    'through two packages',
    { nodes: { Faces: asks('facelib'), Deep: asks('deep') } },
    [
      'python_versions',
      'Faces asks for facelib, which needs numlib>=2',
      'Deep asks for deep, which needs upscale==1.0, which needs numlib<2',
    ],
  ],
  [
    'through three packages',
    { nodes: { Wide: asks('wide'), Deep: asks('deeper') } },
    [
      'python_versions',
      'Wide asks for wide, which needs facelib, which needs numlib>=2',
      'Deep asks for deeper, which needs deep, which needs upscale',
    ],
  ],
  [
    'with ComfyUI itself',
    { comfyui: 'numlib<2', nodes: { Faces: asks('facelib') } },
    ['python_versions', 'ComfyUI asks for numlib<2', 'Faces asks for facelib, which needs numlib>=2'],
  ],
  [
    'a package that contradicts itself',
    { nodes: { Odd: asks('numlib>=1,<2\nnumlib>=2') } },
    ['python_versions', 'Odd asks for numlib', 'contradicts itself'],
  ],
  [
    'an extra that limits a version',
    { nodes: { Gpu: asks('gpu-extra[gpu]'), Faces: asks('numlib>=2') } },
    ['python_versions', 'Gpu asks for gpu-extra[gpu], which needs numlib<2', 'Faces asks for numlib>=2'],
  ],
  [
    'a git repository that limits a version',
    { nodes: { Git: asks(`gitlib @ ${GITLIB}`), Faces: asks('facelib') } },
    ['python_versions', 'Git asks for gitlib @ git+file', 'which needs numlib<2', 'Faces asks for facelib'],
  ],
  [
    'two addresses of one package',
    { nodes: { One: asks(`gitlib @ ${GITLIB}`), Other: asks(`gitlib @ ${GITLIB_FORK}`) } },
    ['python_versions', 'One asks for gitlib @', 'Other asks for gitlib @'],
  ],
  [
    'in pyproject.toml',
    { nodes: { Faces: { pyproject: project('faces', ['numlib >= 2']) }, Upscaler: asks('upscale') } },
    ['python_versions', 'Faces asks for numlib>=2', 'Upscaler asks for upscale, which needs numlib<2'],
  ],
  [
    'in a file that requirements.txt includes',
    {
      nodes: {
        Faces: { requirements: '-r extra/gpu.txt', files: { 'extra/gpu.txt': 'numlib>=2 # faces' } },
        Upscaler: asks('upscale'),
      },
    },
    ['python_versions', 'Faces asks for numlib>=2', 'Upscaler asks for upscale'],
  ],
  [
    'several ranges of one version',
    { nodes: { Holes: asks('one-of'), Faces: asks('numlib>=2') } },
    ['python_versions', 'Holes asks for one-of', 'Faces asks for numlib>=2'],
  ],
  [
    'two conflicts at once',
    { nodes: { Faces: asks('numlib>=2'), Upscaler: asks('upscale'), Lost: asks('ghost') } },
    ['python_versions', 'Faces asks for numlib>=2', 'Upscaler asks for upscale'],
    ['python_missing', 'Lost asks for ghost'],
  ],
  // Packages and versions that do not exist.
  [
    'a package that does not exist',
    { nodes: { Lost: asks('ghost>=1') } },
    ['python_missing', 'Lost asks for ghost>=1', 'no package ghost'],
  ],
  [
    'a package that another one needs and that does not exist',
    { nodes: { Lost: asks('ghostly') } },
    ['python_missing', 'Lost asks for ghostly, which needs ghost>=1', 'no package ghost'],
  ],
  [
    'the same through two packages',
    { nodes: { Lost: asks('ghostlier') } },
    ['python_missing', 'Lost asks for ghostlier, which needs ghostly, which needs ghost>=1'],
  ],
  [
    'a version that does not exist',
    { nodes: { Old: asks('numlib==9') } },
    ['python_missing', 'Old asks for numlib==9'],
  ],
  [
    'a newer version than the newest',
    { nodes: { New: asks('safelib>=3') } },
    ['python_missing', 'New asks for safelib>=3', 'safelib<=1.1'],
  ],
  [
    'a repository that does not exist',
    { nodes: { Git: asks(`lost @ git+${pathToFileURL(join(root, 'nowhere'))}`) } },
    ['python_missing', 'Git asks for lost @ git+file', 'cannot be read'],
  ],
  [
    'a branch that does not exist',
    { nodes: { Git: asks(`gitlib @ ${GITLIB}@no-such-branch`) } },
    ['python_missing', 'Git asks for gitlib @', 'cannot be read', 'no-such-branch'],
  ],
  [
    'an address of a file that does not exist',
    { nodes: { Addressed: asks(`lost @ ${wheelAt('lost-1.0-py3-none-any.whl')}`) } },
    ['python_missing', 'Addressed asks for lost @ file', 'cannot be read'],
  ],
  [
    'hashes that no file has',
    { nodes: { Pinned: asks(`safelib==1.0 --hash=sha256:${'0'.repeat(64)}`) } },
    ['python_missing', 'Pinned asks for safelib==1.0', 'hashes'],
  ],
  [
    'only for Windows',
    { nodes: { Win: asks('winonly') } },
    ['python_missing', 'Win asks for winonly', 'win_amd64', 'not for Linux'],
  ],
  [
    'only for macOS',
    { nodes: { Mac: asks('maconly') } },
    ['python_missing', 'Mac asks for maconly', 'macosx', 'not for Linux'],
  ],
  [
    'an address of a file for Windows',
    { nodes: { Win: asks(wheelAt('windows-1.0-cp311-cp311-win_amd64.whl')) } },
    ['python_missing', 'Win asks for', 'win_amd64'],
  ],
  [
    'a line that is no requirement',
    { nodes: { Typo: asks('numlib = 1.0') } },
    ['requirement_unreadable', 'Typo asks for "numlib = 1.0"'],
  ],
  [
    'a path',
    { nodes: { Own: asks('./wheels/own-1.0-py3-none-any.whl') } },
    ['requirement_unreadable', 'Own asks for "./wheels/own', 'paths are not supported'],
  ],
  [
    'an included file that is missing',
    { nodes: { Half: asks('safelib\n-r more.txt') } },
    ['requirement_unreadable', 'Half asks for "-r more.txt"', 'there is no file more.txt'],
  ],
  [
    'another index',
    { nodes: { Indexed: asks('--extra-index-url https://ada:secret@wheels.example/simple\nsafelib') } },
    ['index_ignored', 'Indexed names another package index', 'https://wheels.example/simple'],
  ],
  [
    'only as source code',
    { nodes: { Source: asks(`setuplib @ ${SETUP}`) } },
    ['python_source', 'Source asks for setuplib', 'runs its set-up program'],
  ],
  // Another Python.
  [
    'a node package for a newer Python',
    { nodes: { Modern: { pyproject: project('modern', [], 'requires-python = ">=3.12"') } } },
    ['python_release', 'Modern needs Python >=3.12', 'Python 3.11'],
  ],
  [
    'a node package for an older Python',
    { nodes: { Aged: { pyproject: project('aged', [], 'requires-python = "<3.11"') } } },
    ['python_release', 'Aged needs Python <3.11'],
  ],
  [
    'a wheel that needs a newer Python',
    { nodes: { Modern: asks('newpy') } },
    ['python_release', 'Modern asks for newpy', 'Python >=3.13', 'Python 3.11'],
  ],
  [
    'the same through another package',
    { nodes: { Modern: asks('needs-newpy') } },
    ['python_release', 'Modern asks for needs-newpy, which needs newpy', '>=3.13'],
  ],
  [
    'native code for another Python',
    { nodes: { Native: asks('native') } },
    ['python_release', 'Native asks for native', 'Python 3.12', 'Python 3.11'],
  ],
  [
    'an address of native code for another Python',
    { nodes: { Native: asks(`compiled @ ${wheelAt('compiled-1.0-cp310-cp310-linux_x86_64.whl')}`) } },
    ['python_release', 'Native asks for', 'Python 3.10'],
  ],
  [
    'a git repository for a newer Python',
    { nodes: { Git: asks(`gitnew @ ${GIT_NEWPY}`) } },
    ['python_release', 'Git asks for gitnew', '>=3.13'],
  ],
  [
    'a node package for a newer ComfyUI',
    { nodes: { Fresh: { pyproject: `${project('fresh', [])}[tool.comfy]\nrequires-comfyui = ">=0.4.0"\n` } } },
    ['comfyui_release', 'Fresh needs ComfyUI >=0.4.0', '0.3.50'],
  ],
  // Another torch or CUDA than the base image has.
  [
    'another torch',
    { nodes: { Torchy: asks('torch>=2.6') } },
    ['python_versions', 'Torchy asks for torch>=2.6', 'the base image has torch 2.5.1+cu121'],
  ],
  [
    'another torch through a package',
    { nodes: { Fast: asks('attention') } },
    ['python_versions', 'Fast asks for attention, which needs torch==2.6.0', 'base image has torch'],
  ],
  [
    'another torch through two packages',
    { nodes: { Fast: asks('needs-attention') } },
    ['python_versions', 'Fast asks for needs-attention, which needs attention, which needs torch==2.6.0'],
  ],
  [
    'an older torch',
    { nodes: { Slow: asks('oldattention') } },
    ['python_versions', 'Slow asks for oldattention, which needs torch<2'],
  ],
  [
    'another numpy',
    { nodes: { Arrays: asks('numpy>=2') } },
    ['python_versions', 'Arrays asks for numpy>=2', 'base image has numpy 1.26.4'],
  ],
  [
    'torch for another CUDA',
    { nodes: { Torchy: asks('torch==2.5.1+cu124') } },
    ['cuda_release', 'Torchy asks for torch==2.5.1+cu124', 'CUDA 12.4', 'CUDA 12.1'],
  ],
  [
    'an address of torch for another CUDA',
    { nodes: { Torchy: asks(`torch @ ${wheelAt('torch-2.6.0+cu124-py3-none-any.whl')}`) } },
    ['cuda_release', 'Torchy asks for torch @', 'CUDA 12.4', 'CUDA 12.1'],
  ],
  [
    'a library of an older CUDA',
    { nodes: { Cupy: asks('cupy-cuda11x') } },
    ['cuda_release', 'Cupy asks for cupy-cuda11x', 'CUDA 11', 'CUDA 12.1'],
  ],
  [
    'a library of an older CUDA through a package',
    { nodes: { Blas: asks('cublas-user') } },
    ['cuda_release', 'Blas asks for nvidia-cublas-cu11', 'CUDA 11'],
  ],
  [
    'a library of CUDA 11.8',
    { nodes: { Sparse: asks('spconv-cu118') } },
    ['cuda_release', 'Sparse asks for spconv-cu118', 'CUDA 11.8'],
  ],
  [
    'two packages with one module',
    { nodes: { Cv: asks('opencv-python'), Headless: asks('opencv-python-headless') } },
    ['python_overlap', 'Cv asks for opencv-python', 'Headless asks for opencv-python-headless', 'cv2'],
  ],
  [
    'two runtimes of ONNX',
    { nodes: { Cpu: asks('onnxruntime'), Gpu: asks('onnxruntime-gpu') } },
    ['python_overlap', 'Cpu asks for onnxruntime', 'Gpu asks for onnxruntime-gpu'],
  ],
  // Classes.
  [
    'a class that two packages bring',
    { nodes: { One: { classes: ['Sharpen', 'Blur'] }, Other: { classes: ['Sharpen'] } } },
    ['class_twice', 'One and Other provide the class Sharpen'],
  ],
  // Models and licences.
  [
    'a model without an address',
    { models: [{ folder: 'checkpoints', name: 'own.safetensors' }], localModels: ['checkpoints/other.safetensors'] },
    ['model_without_source', 'checkpoints/own.safetensors'],
  ],
  [
    'a model that forbids serving',
    {
      models: [
        {
          folder: 'unet',
          name: 'flux1-dev.safetensors',
          source: 'https://models.example/flux',
          licence: 'flux-1-dev-non-commercial-license',
        },
      ],
    },
    ['licence', 'unet/flux1-dev.safetensors', 'non-commercial use only', 'Black Forest Labs'],
  ],
  [
    'two models of one licence',
    {
      models: ['a', 'b'].map((name) => ({
        folder: 'loras',
        name,
        source: 'https://models.example/x',
        licence: 'cc-by-nc-4.0',
      })),
    },
    ['licence', 'loras/a and loras/b', 'Creative Commons'],
  ],
  [
    'a node package for non-commercial use',
    {
      nodes: {
        Faces: {
          licence: 'S-Lab License 1.0\n\nRedistribution and use for non-commercial purpose in source and binary forms',
        },
      },
    },
    ['licence', 'Faces', 'S-Lab License'],
  ],
  [
    'a node package with a condition on services',
    { nodes: { Net: { pyproject: project('net', [], 'license = {text = "AGPL-3.0-only"}') } } },
    ['licence', 'Net', 'section 13'],
  ],
  [
    'a licence for research only',
    {
      models: [
        {
          folder: 'insightface',
          name: 'buffalo_l.zip',
          source: 'https://models.example/x',
          licence: 'insightface non-commercial',
        },
      ],
    },
    ['licence', 'buffalo_l.zip', 'research only'],
  ],
]

describe('planted conflicts are named, each once', () => {
  test.for(PLANTED)('%s', async ([, given, ...expected], { skip }) => {
    skip(!uv.ready, uv.reason)
    const { conflicts } = await conflictsOf(given)
    const found = conflicts.map(({ code, message }) => ({ code, message }))
    const wanted = expected.map(([code, ...words]) => ({
      code,
      message: expect.stringMatching(new RegExp(words.map((word) => `(?=[^]*${RegExp.escape(word)})`).join(''))),
    }))
    expect(found).toEqual(wanted)
    for (const { choices } of conflicts) expect(choices).not.toEqual([])
  })

  test('there are at least fifty of them', () => {
    expect(PLANTED.length).toBeGreaterThanOrEqual(50)
  })
})

const CLEAN: readonly (readonly [title: string, given: Given])[] = [
  ['ComfyUI alone', {}],
  ['the same requirement twice', { nodes: { A: asks('numlib<2'), B: asks('numlib<2') } }],
  ['ranges that overlap', { nodes: { A: asks('numlib>=1.5'), B: asks('numlib<2'), C: asks('upscale') } }],
  ['torch as the base image has it', { nodes: { A: asks('torch>=2.0\ntorch==2.5.1\nnumpy<2\nanytorch') } }],
  ['an address of the same torch', { nodes: { A: asks(`torch @ ${wheelAt('torch-2.5.1+cu121-py3-none-any.whl')}`) } }],
  ['an older version for this Python', { nodes: { A: asks('movedon') } }],
  [
    'requirements for other systems',
    {
      nodes: {
        A: asks('winonly; sys_platform == "win32"\nghost; python_version < "3.8"\nnewpy ; python_version >= "3.13"'),
      },
    },
  ],
  [
    'comments, continuations and options',
    {
      nodes: {
        A: asks(
          '# needs\r\n\r\nsafelib \\\r\n  >=1.0 # all\r\n--prefer-binary\r\nnumlib>=1.0,<3 ; python_version >= "3.8"\r\n',
        ),
      },
    },
  ],
  [
    'requirements in UTF-16',
    { nodes: { A: { files: { 'requirements.txt': Buffer.from('\uFEFFsafelib\r\n', 'utf16le') } } } },
  ],
  ['native code for this Python, and a stable ABI', { nodes: { A: asks('native-here\nstable-abi') } }],
  ['a git repository without a name', { nodes: { A: asks(GITLIB), B: asks('numlib<2') } }],
  ['CUDA of the base image', { nodes: { A: asks('cupy-cuda12x\nnvidia-cublas-cu12') } }],
  [
    'a library of CUDA in an image without it',
    { base: { ...BASE, cuda: undefined }, nodes: { A: asks('cupy-cuda11x') } },
  ],
  [
    'Python, ComfyUI and a licence that fit',
    {
      nodes: {
        A: {
          pyproject: `${project('a', ['safelib'], 'requires-python = ">=3.9"\nlicense = "MIT"')}[tool.comfy]\nrequires-comfyui = ">=0.3.0"\n`,
        },
      },
    },
  ],
  ['a repository whose requirements can be read', { nodes: { A: asks(`gitlib @ ${GITLIB}`) } }],
  [
    'a class that two packages bring, with a choice',
    {
      nodes: { A: { classes: ['Sharpen'] }, B: { classes: ['Sharpen'] } },
      accept: ['class:Sharpen=B'],
    },
  ],
  [
    'a model on this machine',
    { models: [{ folder: 'loras', name: 'own.safetensors' }], localModels: ['loras/own.safetensors'] },
  ],
  [
    'licences that allow serving',
    {
      models: ['apache-2.0', 'openrail++', 'creativeml-openrail-m', 'mit'].map((licence) => ({
        folder: 'loras',
        name: licence,
        source: 'https://models.example/x',
        licence,
      })),
    },
  ],
  [
    'an accepted condition',
    { nodes: { Net: { pyproject: project('net', [], 'license = "AGPL-3.0-only"') } }, accept: ['licence:agpl-3.0'] },
  ],
]

describe('nothing is found', () => {
  test.for(CLEAN)('%s', async ([, given], { skip }) => {
    skip(!uv.ready, uv.reason)
    const { conflicts } = await conflictsOf(given)
    expect(conflicts).toEqual([])
  })
})

describe('resolved packages', () => {
  test('have versions, hashes and who wants them; those of the base image are left out', async ({ skip }) => {
    skip(!uv.ready, uv.reason)
    const { lock } = await conflictsOf({ nodes: { Upscaler: asks('deep\ntorch'), Git: asks(GITLIB) } })
    const hash = expect.stringMatching(/^[0-9a-f]{64}$/)
    const of = (name: string, version: string, ...wantedBy: string[]) => ({ name, version, sha256: [hash], wantedBy })
    expect(lock.python).toEqual([
      of('deep', '1.1', 'Upscaler'),
      {
        name: 'gitlib',
        version: '1.2',
        source: expect.stringMatching(/^git\+file:.*@[0-9a-f]{40}$/),
        sha256: [],
        wantedBy: ['Git'],
      },
      of('numlib', '1.5', 'ComfyUI', 'gitlib', 'upscale'),
      of('safelib', '1.1', 'ComfyUI'),
      of('upscale', '1.0', 'deep'),
    ])
  })

  test('keep the versions of an earlier result that still fit', async ({ skip }) => {
    skip(!uv.ready, uv.reason)
    const wish = { requirements: [{ from: 'ComfyUI', text: 'safelib\nnumlib' }], provides: {}, python: '3.11' }
    const previous = [{ name: 'safelib', version: '1.0' }]
    const resolved = await resolvePython({ ...wish, previous })
    expect('packages' in resolved && resolved.packages.map(({ name, version }) => `${name} ${version}`)).toEqual([
      'numlib 2.0',
      'safelib 1.0',
    ])
  })

  test('need a Python on this machine, which is not a conflict of packages', async ({ skip }) => {
    skip(!uv.ready, uv.reason)
    const path = join(root, 'only-uv')
    mkdirSync(path)
    symlinkSync(join(uv.folder, 'bin/uv'), join(path, 'uv'))
    const env = { PATH: path, HOME: path, ...onlyWheelsOf(index) }
    const wish = { requirements: [{ from: 'ComfyUI', text: 'numlib' }], provides: {}, python: '3.11' }
    await expect(createPythonResolver({ env, uvFolder: uv.folder })(wish)).rejects.toThrow(
      'this machine has no Python 3.11. Install it, for example with `uv python install 3.11`',
    )
  })

  test('a package that is only source code is read if the user accepts it', async ({ skip }) => {
    skip(!uv.ready, uv.reason)
    const given = { nodes: { A: asks(`setuplib @ ${SETUP}`) }, accept: ['source:setuplib'] }
    const { conflicts, lock } = await conflictsOf(given)
    expect(conflicts).toEqual([])
    expect(lock.python.map(({ name, version, wantedBy }) => [name, version, ...wantedBy])).toEqual([
      ['numlib', '2.0', 'ComfyUI'],
      ['safelib', '1.1', 'ComfyUI', 'setuplib'],
      ['setuplib', '1.0', 'A'],
    ])
  })
})
