import { type LockedModel, type LockedNodes, UnusableLock, type WorkflowLock } from '../../../contract/worker-images.ts'
import { counted, shellQuoted, sizeText } from '../../../lib/text.ts'
import { MIB } from '../../../lib/units.ts'

/** s; 1980-01-01, the earliest time that zip files can hold. Source: ours. */
export const IMAGE_EPOCH = 315_532_800
/** Largest model that is baked without being asked for, in bytes. Source: ours, half a minute of download at 70 Mbit/s. */
const SMALL_MODEL_BYTES = 256 * MIB

const COMFYUI_FOLDER = '/comfyui'
/** Where the hosted platform mounts a network volume; source: docs/spec/comfyui.md. */
const VOLUME_FOLDER = '/runpod-volume'
const WORKER_FOLDER = '/opt/drydock'

export type Bake = 'all' | 'none' | readonly string[]

export type ImageOptions = {
  readonly bake?: Bake | undefined
  readonly ownModels?: ReadonlySet<string>
  readonly worker?: readonly { readonly folder: string; readonly module: string }[]
  readonly workflow?: { readonly name: string; readonly text: string } | undefined
  readonly programs: Readonly<Record<string, string>>
}

export type ContextSource =
  | { readonly path: string; readonly folder: string }
  | { readonly path: string; readonly nodes: string; readonly sha256: string | undefined }
  | { readonly path: string; readonly repository: string; readonly commit: string }
  | { readonly path: string; readonly model: string; readonly sha256: string | undefined }

export type ImageStep = {
  readonly id: string
  readonly title: string
  readonly instruction: string
}

export type PlacedModel = {
  readonly name: string
  readonly sizeBytes: number | undefined
  readonly delivery: 'baked' | 'mounted'
}

export type ImageFiles = {
  readonly dockerfile: string
  readonly files: readonly { readonly path: string; readonly text: string }[]
  readonly sources: readonly ContextSource[]
  readonly steps: readonly ImageStep[]
  readonly models: readonly PlacedModel[]
  readonly secrets: readonly string[]
}

// Mounts of a layer: nothing below /tmp gets into the image, and its mount points leave no traces.
const LAYER = ['--mount=type=tmpfs,target=/tmp', '--mount=type=bind,source=layer.py,target=/tmp/layer.py']
const FETCH = '--mount=type=bind,source=fetch.py,target=/tmp/fetch.py'
const pipMounts = (config: string) => [
  '--mount=type=cache,id=drydock-pip,target=/tmp/pip',
  `--mount=type=secret,id=${config},target=/tmp/pip.conf`,
]
/** Of layers that run programs of node packages: it has no passwords. */
export const OPEN_PIP_CONFIG = 'pip-open.conf'
export const PIP_CONFIG = 'pip.conf'
// Keeps install.py of a package from changing the packages of the others.
const CONSTRAINTS = '--mount=type=bind,source=constraints.txt,target=/tmp/constraints.txt'
const DOWNLOADS = '--mount=type=cache,id=drydock-models,target=/tmp/downloads,sharing=locked'

const isWebAddress = (source: string) => /^https?:\/\//.test(source)
// Letters that need no quotes in a mount; a percent sign starts no variable.
const folderName = (name: string) => encodeURIComponent(name).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0)}`)

export function imageFiles(lock: WorkflowLock, options: ImageOptions): ImageFiles {
  const problems = [...unusableTexts(lock), ...unknownBakes(lock, options)]
  const models = lock.models.map((model) => ({ ...model, delivery: deliveryOf(model, options.bake) }))
  const baked = models.filter(({ delivery }) => delivery === 'baked').toSorted(byText(modelName))
  const ownModels = options.ownModels ?? new Set()
  for (const model of baked)
    if (!ownModels.has(modelName(model)) && !isWebAddress(model.source ?? ''))
      problems.push(
        `The model ${modelName(model)} has no address and is in no model folder. Give its folder with --models, or leave it out of the image with --bake none.`,
      )
  if (problems.length > 0) throw new UnusableLock(problems)

  const nodes = lock.nodes.toSorted(byText(({ name }) => name))
  const parts: readonly Part[] = [
    basePart(lock),
    comfyuiPart(lock),
    pythonPart(lock),
    ...nodes.map(nodesPart),
    ...baked.map((model) => modelPart(model, ownModels.has(modelName(model)))),
    workerPart(options),
    workflowPart({ models, workflow: options.workflow }),
  ].filter((part) => part !== undefined)
  const programs = Object.entries(options.programs).map(([path, text]) => ({ path, text }))
  return {
    dockerfile: `${[...parts.map(textOf), startText(lock, options)].join('\n\n')}\n`,
    files: [...programs, constraintsFile(lock), ...parts.flatMap(({ files = [] }) => files)].toSorted(
      byText(({ path }) => path),
    ),
    sources: parts.flatMap(({ sources = [] }) => sources),
    steps: parts.map(({ id, title, instruction }) => ({ id, title, instruction })),
    models: models.map((model) => ({ name: modelName(model), sizeBytes: model.sizeBytes, delivery: model.delivery })),
    secrets: [...new Set(parts.flatMap(({ secrets = [] }) => secrets))],
  }
}

export const modelName = ({ folder, name }: Pick<LockedModel, 'folder' | 'name'>) => `${folder}/${name}`

function byText<T>(text: (value: T) => string): (a: T, b: T) => number {
  return (a, b) => (text(a) < text(b) ? -1 : text(a) > text(b) ? 1 : 0)
}

type Part = ImageStep & {
  readonly before?: string
  readonly comment: string
  readonly after?: string
  readonly files?: ImageFiles['files']
  readonly sources?: readonly ContextSource[]
  readonly secrets?: readonly string[]
}

const textOf = ({ before, comment, instruction, after }: Part) =>
  [before, `# ${comment}`, instruction, after].filter((line) => line !== undefined).join('\n')

function run(mounts: readonly string[], commands: readonly string[]): string {
  return `RUN ${[[...LAYER, ...mounts].join(' \\\n    '), commands.join(' && \\\n    ')].join(' \\\n    ')}`
}

function basePart({ base, workflow }: WorkflowLock): Part {
  const of = workflow === undefined ? '' : ` of ${workflow.file}`
  return {
    id: 'base',
    title: `base image ${base.image}`,
    before: [
      `# Worker image${of}. Build it with BuildKit: docker build --tag NAME .`,
      `FROM ${base.image}`,
      `ARG SOURCE_DATE_EPOCH=${IMAGE_EPOCH}`,
      '',
    ].join('\n'),
    comment: 'Mount points of the engine; without them each layer would make its own.',
    instruction: 'COPY mount-points /',
    after: 'SHELL ["python3", "/tmp/layer.py"]',
    files: ['hosts', 'resolv.conf'].map((name) => ({ path: `mount-points/etc/${name}`, text: '' })),
  }
}

type Source = {
  readonly mounts: readonly string[]
  readonly command: string
  readonly sources: readonly ContextSource[]
}

function sourceOf(source: LockedNodes['source'], path: string, folder: string): Source {
  const target = shellQuoted(folder)
  const fetched = (...words: readonly string[]) => ({
    mounts: [FETCH],
    command: ['python3 /tmp/fetch.py', ...words.map(shellQuoted), target].join(' '),
    sources: [],
  })
  if ('registry' in source) return fetched('registry', source.registry, source.version)
  if ('repository' in source && isWebAddress(source.repository)) return fetched('git', source.repository, source.commit)
  return {
    mounts: [`--mount=type=bind,source=${path},target=/tmp/source`],
    command: `mkdir -p ${target} && cp -R /tmp/source/. ${target}`,
    sources: [
      'repository' in source
        ? { path, repository: source.repository, commit: source.commit }
        : { path, nodes: source.path, sha256: source.sha256 },
    ],
  }
}

function versionOf(source: LockedNodes['source']): string {
  if ('registry' in source) return source.version
  return 'repository' in source ? source.commit.slice(0, 7) : source.path
}

function comfyuiPart({ comfyui }: WorkflowLock): Part {
  const { mounts, command, sources } = sourceOf(comfyui, 'sources/comfyui', COMFYUI_FOLDER)
  const title = `ComfyUI ${comfyui.version ?? versionOf(comfyui)}`
  return { id: 'comfyui', title, comment: title, instruction: run(mounts, [command]), sources }
}

function pythonPart({ python }: WorkflowLock): Part | undefined {
  if (python.length === 0) return undefined
  const packages = python.toSorted(byText(({ name }) => name))
  const hashed = packages.every(({ sha256 }) => sha256.length > 0)
  const lines = packages.map(({ name, version, sha256 }) =>
    [`${name}==${version}`, ...(hashed ? sha256.toSorted().map((hash) => `    --hash=sha256:${hash}`) : [])].join(
      ' \\\n',
    ),
  )
  const options = hashed ? '--no-deps --require-hashes' : '--no-deps'
  const title = counted(python.length, 'Python package')
  return {
    id: 'python',
    title,
    comment: `${title}, resolved together`,
    instruction: run(
      [...pipMounts(PIP_CONFIG), '--mount=type=bind,source=requirements.txt,target=/tmp/requirements.txt'],
      [`pip install ${options} --requirement /tmp/requirements.txt`],
    ),
    files: [{ path: 'requirements.txt', text: `${lines.join('\n')}\n` }],
  }
}

function constraintsFile({ base, python }: WorkflowLock): ImageFiles['files'][number] {
  const versions = new Map([
    ...Object.entries(base.provides),
    ...python.map(({ name, version }) => [name, version] as const),
  ])
  const lines = [...versions].map(([name, version]) => `${name}==${version}\n`)
  return { path: 'constraints.txt', text: lines.toSorted().join('') }
}

function nodesPart({ name, source }: LockedNodes): Part {
  const folder = `${COMFYUI_FOLDER}/custom_nodes/${name}`
  const { mounts, command, sources } = sourceOf(source, `sources/nodes/${folderName(name)}`, folder)
  const title = `custom nodes ${name} ${versionOf(source)}`
  const install = 'if [ -f install.py ]; then PIP_CONSTRAINT=/tmp/constraints.txt python3 install.py; fi'
  return {
    id: `nodes ${name}`,
    title,
    comment: capitalFirst(title),
    instruction: run(
      [...pipMounts(OPEN_PIP_CONFIG), CONSTRAINTS, ...mounts],
      [command, `cd ${shellQuoted(folder)}`, install],
    ),
    sources,
  }
}

const capitalFirst = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`

function modelPart(model: LockedModel, isOwn: boolean): Part {
  const name = modelName(model)
  const path = `${COMFYUI_FOLDER}/models/${name}`
  const size = model.sizeBytes === undefined ? '' : `, ${sizeText(model.sizeBytes)}`
  const part = { id: `model ${name}`, title: `model ${name}${size}`, comment: `Model ${name}${size}` }
  if (isOwn) {
    const source = `models/${folderName(name)}`
    const folder = path.slice(0, path.lastIndexOf('/'))
    return {
      ...part,
      instruction: run(
        [`--mount=type=bind,source=${source},target=/tmp/model`],
        [`mkdir -p ${shellQuoted(folder)}`, `cp /tmp/model ${shellQuoted(path)}`],
      ),
      sources: [{ path: source, model: name, sha256: model.sha256 }],
    }
  }
  const address = model.source ?? ''
  const hostname = hostOf(address) ?? ''
  const words = ['file', address, model.sha256 ?? '-', path].map(shellQuoted)
  return {
    ...part,
    instruction: run(
      [FETCH, DOWNLOADS, `--mount=type=secret,id=${hostname},target=/tmp/secrets/${hostname}`],
      [`python3 /tmp/fetch.py ${words.join(' ')}`],
    ),
    secrets: [hostname],
  }
}

function workerPart({ worker = [] }: ImageOptions): Part | undefined {
  if (worker.length === 0) return undefined
  return {
    id: 'worker',
    title: 'worker',
    comment: `Worker: ${worker.map(({ module }) => module).join(', ')}`,
    instruction: run(
      ['--mount=type=bind,source=worker,target=/tmp/source'],
      [`mkdir -p ${WORKER_FOLDER}`, `cp -R /tmp/source/. ${WORKER_FOLDER}`],
    ),
    sources: worker.map(({ folder, module }) => ({ path: `worker/${module}`, folder })),
  }
}

type Placed = {
  readonly models: readonly { readonly folder: string; readonly delivery: PlacedModel['delivery'] }[]
  readonly workflow: ImageOptions['workflow']
}

function workflowPart({ models, workflow }: Placed): Part | undefined {
  const folders = [
    ...new Set(models.filter(({ delivery }) => delivery === 'mounted').map(({ folder }) => folder.split('/')[0] ?? '')),
  ].toSorted()
  const files = [
    ...(workflow === undefined ? [] : [{ path: `workflow${WORKER_FOLDER}/workflow.json`, text: workflow.text }]),
    ...(folders.length === 0
      ? []
      : [{ path: `workflow${COMFYUI_FOLDER}/extra_model_paths.yaml`, text: modelPathsText(folders) }]),
  ]
  if (files.length === 0) return undefined
  const title = workflow === undefined ? 'folders of mounted models' : `workflow ${workflow.name}`
  return {
    id: 'workflow',
    title,
    comment: capitalFirst(title),
    instruction: run(['--mount=type=bind,source=workflow,target=/tmp/source'], ['cp -R /tmp/source/. /']),
    files,
  }
}

function modelPathsText(folders: readonly string[]): string {
  const lines = folders.map((folder) => `  ${JSON.stringify(folder)}: ${JSON.stringify(`models/${folder}/`)}`)
  return ['volume:', `  base_path: ${VOLUME_FOLDER}`, ...lines, ''].join('\n')
}

function startText({ environment }: WorkflowLock, { worker: [worker] = [] }: ImageOptions): string {
  const variables = Object.entries(environment).toSorted(byText(([name]) => name))
  const command =
    worker === undefined ? ['python3', `${COMFYUI_FOLDER}/main.py`, '--listen'] : ['python3', '-m', worker.module]
  return [
    'SHELL ["/bin/sh", "-c"]',
    ...(worker === undefined ? [] : [`ENV PYTHONPATH=${WORKER_FOLDER}`]),
    ...variables.map(([name, value]) => `ENV ${name}="${value.replace(/[\\"$]/g, '\\$&')}"`),
    `CMD ${JSON.stringify(command)}`,
  ].join('\n')
}

export function deliveryOf(model: LockedModel, bake?: Bake): PlacedModel['delivery'] {
  if (bake === 'all') return 'baked'
  if (bake === 'none') return 'mounted'
  if (bake !== undefined) return isNamed(model, bake) ? 'baked' : 'mounted'
  if (model.delivery !== undefined) return model.delivery
  return model.sizeBytes !== undefined && model.sizeBytes <= SMALL_MODEL_BYTES ? 'baked' : 'mounted'
}

const isNamed = (model: LockedModel, names: readonly string[]) =>
  names.includes(model.name) || names.includes(modelName(model))

function unknownBakes({ models }: WorkflowLock, { bake }: ImageOptions): string[] {
  if (bake === undefined || typeof bake === 'string') return []
  const unknown = bake.filter((name) => !models.some((model) => isNamed(model, [name])))
  return unknown.map(
    (name) => `--bake ${name}: the lock has no such model. It has ${models.map(modelName).join(', ') || 'none'}.`,
  )
}

// Anything that ends a line in a Dockerfile, a shell, YAML or a requirements file.
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}]/u
const IMAGE = /^[a-z0-9][\w.-]*(:\d+)?(\/[\w.-]+)*(:[\w.-]+)?(@sha256:[0-9a-f]{64})?$/i
const PACKAGE = /^[a-z0-9]([\w.-]*[a-z0-9])?$/i
const VERSION = /^[a-z0-9][\w.!+-]*$/i
const VARIABLE = /^[a-z_]\w*$/i

function* unusableTexts(lock: WorkflowLock): Generator<string> {
  if (!IMAGE.test(lock.base.image)) yield unusable('base.image', lock.base.image, 'the name of an image')
  const provided = Object.entries(lock.base.provides).map(([name, version]) => ({ name, version }))
  for (const { name, version } of [...lock.python, ...provided])
    if (!PACKAGE.test(name) || !VERSION.test(version))
      yield unusable('python', `${name} ${version}`, 'a package and a version')
  for (const [name, value] of Object.entries(lock.environment))
    if (!VARIABLE.test(name) || UNPRINTABLE.test(value))
      yield unusable('environment', name, 'a variable with a value of one line')
  for (const model of lock.models) {
    const name = modelName(model)
    if (UNPRINTABLE.test(name) || name.includes('\\') || name.split('/').some((part) => ['', '.', '..'].includes(part)))
      yield unusable('models', name, 'the path of a file below models/')
    if (
      model.source !== undefined &&
      (UNPRINTABLE.test(model.source) || (isWebAddress(model.source) && hostOf(model.source) === undefined))
    )
      yield unusable('models', model.source, 'an address')
  }
  const texts = [
    ['workflow.file', lock.workflow?.file],
    ['comfyui', lock.comfyui.version],
    ['comfyui', lock.comfyui.repository],
    ...lock.nodes.flatMap(({ name, source }) => Object.values(source).map((text) => [`nodes ${name}`, text] as const)),
  ] as const
  for (const [where, text = ''] of texts) if (UNPRINTABLE.test(text)) yield unusable(where, text, 'one line of text')
  for (const name of repeated(lock.nodes.map(({ name }) => name)))
    yield `The lock has the nodes ${name} twice. Remove one.`
}

const unusable = (where: string, text: string, wanted: string) =>
  `${where} of the lock: ${JSON.stringify(text)} is not ${wanted}. Correct it in the lock.`

const hostOf = (address: string): string | undefined =>
  /^https?:\/\/([a-z0-9][a-z0-9.-]*)(?::\d+)?(?:[/?#]\S*)?$/i.exec(address)?.[1]

function repeated(names: readonly string[]): readonly string[] {
  return [...new Set(names.filter((name, at) => names.indexOf(name) !== at))]
}
