/** Conflicts of a worker image that are known before its build. Source: docs/spec/worker-images.md, 2. */
import { satisfies } from '@renovatebot/pep440'
import type { ImageConflict, WorkflowLock } from '../../../contract/worker-images.ts'
import { normaliseName } from '../../apps/rules/requirements.ts'
import { asks, listed, useAnother } from './conflict-text.ts'
import { readLicence } from './licences.ts'
import { cudaOfBuild } from './python-conflicts.ts'
import { readRequirement } from './read-requirements.ts'

export type ImageFacts = {
  readonly lock: WorkflowLock
  readonly localModels?: readonly string[]
  readonly python?: readonly ImageConflict[]
}

export const modelsHere = ({ models }: Pick<WorkflowLock, 'models'>): readonly string[] =>
  models.flatMap(({ folder, name, sha256 }) => (sha256 === undefined ? [] : [`${folder}/${name}`]))

export function findConflicts({ lock, localModels = [], python = [] }: ImageFacts): ImageConflict[] {
  const found = [
    ...python,
    ...otherPython(lock),
    ...otherComfyui(lock),
    ...otherCuda(lock),
    ...overlaps(lock),
    ...classesTwice(lock),
    ...modelsWithoutSource(lock, localModels),
    ...licences(lock),
  ]
  return found.sort((a, b) => Number(b.blocks) - Number(a.blocks))
}

function otherPython({ nodes, base }: WorkflowLock): ImageConflict[] {
  return nodes.flatMap(({ name, python }) =>
    python === undefined || acceptsPython(python, base.python)
      ? []
      : {
          code: 'python_release',
          blocks: true,
          message: `${name} needs Python ${python}, and the base image has Python ${base.python}.`,
          choices: [`Use a base image with Python ${python}.`, useAnother(name)],
        },
  )
}

function acceptsPython(wanted: string, python: string): boolean {
  const releases = /^\d+\.\d+$/.test(python) ? [`${python}.0`, `${python}.99`] : [python]
  return releases.some((release) => accepts(wanted, release))
}

function accepts(wanted: string, version: string): boolean {
  try {
    return satisfies(version, wanted, { prereleases: true })
  } catch {
    return true
  }
}

function otherComfyui({ nodes, comfyui }: WorkflowLock): ImageConflict[] {
  const version = comfyui.version?.replace(/^v/, '')
  if (version === undefined) return []
  return nodes.flatMap((node) =>
    node.comfyui === undefined || accepts(node.comfyui, version)
      ? []
      : {
          code: 'comfyui_release',
          blocks: true,
          message: `${node.name} needs ComfyUI ${node.comfyui}, and the lock has ComfyUI ${version}.`,
          choices: [`Lock ComfyUI ${node.comfyui}.`, useAnother(node.name)],
        },
  )
}

// Packages for one CUDA have it in their name: nvidia-cublas-cu12, cupy-cuda11x, spconv-cu118.
const CUDA_NAME = /-cu(?:da)?(\d\d)(\d)?x?(?:-|$)/

function otherCuda(lock: WorkflowLock): ImageConflict[] {
  const { cuda } = lock.base
  if (cuda === undefined) return []
  const major = cuda.split('.')[0]
  const resolved = lock.python.map(({ name, version, source }) => ({
    name,
    built: `${version} ${source ?? ''}`,
    who: askers(lock, name),
  }))
  const asked = lock.nodes.flatMap((node) =>
    node.requirements.flatMap((text) => {
      const read = readRequirement(text)
      if ('why' in read || read.name === undefined || lock.base.provides[read.name] !== undefined) return []
      return { name: read.name, built: read.address ?? read.versions, who: [node.name] }
    }),
  )
  const seen = new Set<string>()
  return [...resolved, ...asked].flatMap(({ name, built, who }) => {
    const [, ofName, minor] = CUDA_NAME.exec(name) ?? []
    const wanted =
      cudaOfBuild(built) ?? (ofName === undefined ? undefined : `${ofName}${minor === undefined ? '' : `.${minor}`}`)
    if (wanted === undefined || wanted.split('.')[0] === major || seen.has(name)) return []
    seen.add(name)
    return {
      code: 'cuda_release' as const,
      blocks: true,
      message: `${asks(who)} ${name}, which is built for CUDA ${wanted}, and the base image has CUDA ${cuda}.`,
      choices: [`Use a base image with CUDA ${wanted}.`, ...who.map(useAnother)],
    }
  })
}

function askers(lock: WorkflowLock, name: string, seen: ReadonlySet<string> = new Set()): string[] {
  const one = lock.python.find((each) => normaliseName(each.name) === normaliseName(name))
  if (one === undefined) return [name]
  if (seen.has(one.name)) return []
  const next = new Set([...seen, one.name])
  return [...new Set(one.wantedBy.flatMap((by) => askers(lock, by, next)))]
}

// Distributions that install the same module; the one that is installed last overwrites parts of the others.
const SAME_MODULE: readonly (readonly [module: string, packages: readonly string[]])[] = [
  ['cv2', ['opencv-python', 'opencv-python-headless', 'opencv-contrib-python', 'opencv-contrib-python-headless']],
  ['onnxruntime', ['onnxruntime', 'onnxruntime-gpu', 'onnxruntime-directml', 'onnxruntime-openvino']],
  ['PIL', ['pillow', 'pillow-simd']],
  ['tensorflow', ['tensorflow', 'tensorflow-cpu', 'tensorflow-gpu', 'tf-nightly']],
]

function overlaps(lock: WorkflowLock): ImageConflict[] {
  const installed = [
    ...lock.python.map(({ name }) => normaliseName(name)),
    ...Object.keys(lock.base.provides).map(normaliseName),
  ]
  return SAME_MODULE.flatMap(([module, packages]) => {
    const those = packages.filter((name) => installed.includes(name))
    if (those.length < 2) return []
    const parts = those.map((name) => {
      const who = askers(lock, name)
      return who[0] === name ? `the base image has ${name}` : `${asks(who)} ${name}`
    })
    return {
      code: 'python_overlap' as const,
      blocks: false,
      message: `${listed(parts)}: all of them install the module ${module}, and the last one overwrites the others.`,
      choices: those.map((name) => `Keep only ${name} in the requirements of the lock.`),
    }
  })
}

function classesTwice(lock: WorkflowLock): ImageConflict[] {
  const owners = new Map<string, string[]>()
  for (const { name, classes } of lock.nodes)
    for (const one of new Set(classes)) owners.set(one, [...(owners.get(one) ?? []), name])
  return [...owners].flatMap(([className, names]) => {
    if (names.length < 2 || names.some((name) => lock.accept.includes(`class:${className}=${name}`))) return []
    return {
      code: 'class_twice' as const,
      blocks: true,
      message: `${listed(names)} provide the class ${className}. ComfyUI uses the one that it loads last.`,
      choices: [
        ...names.map((name) => `Add class:${className}=${name} to \`accept\` in the lock to use the class of ${name}.`),
        ...names.map((name) => `Leave out ${name}.`),
      ],
    }
  })
}

function modelsWithoutSource({ models }: WorkflowLock, localModels: readonly string[]): ImageConflict[] {
  const local = new Set(localModels)
  return models
    .filter(({ folder, name, source }) => source === undefined && !local.has(`${folder}/${name}`))
    .map(({ folder, name, delivery }) => ({
      code: 'model_without_source',
      // A mounted model comes from a volume, which this machine cannot see.
      blocks: delivery === 'baked',
      message: `The graph uses the model ${folder}/${name}, which has no known address and is in no model folder of this machine.`,
      choices: [
        `Set \`source\` of the model ${name} in the lock to its address.`,
        `Put the file into models/${folder} of a model folder.`,
        'Choose another model in the graph.',
      ],
    }))
}

function licences(lock: WorkflowLock): ImageConflict[] {
  const of = [
    ...lock.nodes.map(({ name, licence }) => ({ name, licence })),
    ...lock.models.map(({ folder, name, licence }) => ({ name: `${folder}/${name}`, licence })),
  ]
  const users = new Map<string, { readonly licence: string; readonly names: string[] }>()
  for (const { name, licence } of of) {
    if (licence === undefined) continue
    const id = readLicence(licence)?.id
    if (id === undefined) continue
    const those = users.get(id)
    if (those === undefined) users.set(id, { licence, names: [name] })
    else those.names.push(name)
  }
  return [...users.values()].flatMap(({ licence, names }) => {
    const row = readLicence(licence)
    if (row === undefined) return []
    const isAccepted = lock.accept.some((text) => [`licence:${row.id}`, `licence:${licence}`].includes(text))
    if (isAccepted && row.effect === 'limits') return []
    return {
      code: 'licence' as const,
      blocks: row.effect === 'forbids' && !isAccepted,
      message: `${listed(names)}: the licence ${licence} restricts serving. ${row.says}. Source: ${row.source}.`,
      choices: [
        ...(isAccepted ? [] : [`Add licence:${row.id} to \`accept\` in the lock if you may serve it.`]),
        ...names.map((name) => `Use a ${name.includes('/') ? 'model' : 'package'} other than ${name}.`),
      ],
    }
  })
}
