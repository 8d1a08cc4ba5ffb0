/** What the form for a new endpoint makes of what was typed. Pure. */
import type { Variable } from '../../ui/form/VariablesField.tsx'

/** What an endpoint is made from. `web`: a program that answers HTTP. */
export const NEW_ENDPOINTS = ['handler', 'command', 'web', 'image'] as const

/** What an endpoint is made from. */
export type NewEndpoint = (typeof NEW_ENDPOINTS)[number]

/** What was typed. Which of it counts depends on the kind. */
export type NewEndpointForm = {
  readonly id: string
  readonly handler: string
  readonly command: string
  /** Working folder of the command. */
  readonly cwd: string
  readonly image: string
  readonly loadBalanced: boolean
  readonly port: string
  readonly gpu: string
  readonly registryAuth: string
  readonly variables: readonly Variable[]
  readonly ready: boolean
}

/** The empty form. A worker that starts at once shows whether the image can be pulled and started. */
export const EMPTY_FORM: NewEndpointForm = {
  id: '',
  handler: '',
  command: '',
  cwd: '',
  image: '',
  loadBalanced: false,
  port: '80',
  gpu: '',
  registryAuth: '',
  variables: [],
  ready: true,
}

/** Body of 'create an endpoint'. What is empty is left to its default. */
export function createBody(kind: NewEndpoint, form: NewEndpointForm): object {
  const id = form.id.trim()
  const named = form.variables.filter(({ name }) => name !== '')
  const env = Object.fromEntries(named.map(({ name, value }) => [name, value]))
  const common = { id, name: id, ...(named.length === 0 ? {} : { env }) }
  if (kind === 'handler') return { ...common, handler: form.handler.trim() }
  if (kind === 'command' || kind === 'web')
    return {
      ...common,
      command: form.command.trim(),
      cwd: folderOf(form.cwd),
      ...(kind === 'web' ? { loadBalanced: {} } : {}),
      ...(form.ready ? { workersMin: 1 } : {}),
    }
  const gpu = form.gpu.trim()
  return {
    ...common,
    container: {
      image: form.image.trim(),
      ...(gpu === '' ? {} : { gpu }),
      ...(form.registryAuth === '' ? {} : { registryAuth: form.registryAuth }),
    },
    ...(form.loadBalanced ? { loadBalanced: { port: Number(form.port) } } : {}),
    ...(form.ready ? { workersMin: 1 } : {}),
  }
}

/** The name that what was typed suggests; empty: it suggests none. */
export function suggestedName(kind: NewEndpoint, { image, handler, cwd }: NewEndpointForm): string {
  if (kind === 'image') return nameFromImage(image)
  if (kind !== 'handler') return nameFromPath(folderOf(cwd))
  // Many are called so, each in a folder of its own.
  const file = handler.trim().replace(/\.[^./\\]*$/, '')
  return nameFromPath(/[\\/](?:rp_)?(?:handler|main|app)$/.test(file) ? file.replace(/[\\/][^\\/]*$/, '') : file)
}

const nameFromPath = (path: string) => idFrom(path.split(/[\\/]/).at(-1) ?? '')

// The root stays as it is.
const folderOf = (path: string) => (path.trim().length > 1 ? path.trim().replace(/[\\/]+$/, '') : path.trim())

/** The name that an image suggests: `ghcr.io/ada/face-worker:1.2` is `face-worker`. */
export function nameFromImage(image: string): string {
  const [last = ''] = image.trim().split('/').at(-1)?.split(/[:@]/) ?? []
  return idFrom(last)
}

const idFrom = (text: string) =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 40)
