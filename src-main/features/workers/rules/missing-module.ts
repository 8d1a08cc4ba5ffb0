import { type EndpointConfig, isNodeHandler } from '../../../contract/endpoint.ts'
import { shellQuoted } from '../../../lib/text.ts'

const PACKAGES: Readonly<Record<string, string>> = {
  PIL: 'pillow',
  bs4: 'beautifulsoup4',
  cv2: 'opencv-python',
  dateutil: 'python-dateutil',
  dotenv: 'python-dotenv',
  skimage: 'scikit-image',
  sklearn: 'scikit-learn',
  yaml: 'pyyaml',
}

const MISSING = /\bModuleNotFoundError: No module named '([A-Za-z_]\w*)/

export function missingPackage(text: string): string | undefined {
  const [, module] = MISSING.exec(text) ?? []
  return module === undefined ? undefined : (PACKAGES[module] ?? module.replaceAll('_', '-'))
}

type Installed = Pick<EndpointConfig, 'handler' | 'command' | 'cwd' | 'container' | 'app' | 'virtualEnv'>

export function environmentFor({ handler, command, cwd, container, app, virtualEnv }: Installed): string | undefined {
  if (container !== undefined || app !== undefined) return undefined
  if (virtualEnv !== undefined) return virtualEnv
  if (handler !== undefined) return isNodeHandler(handler) ? undefined : handler.replace(/[^\\/]+$/, '.venv')
  return command === undefined || cwd === undefined ? undefined : `${cwd.replace(/\/$/, '')}/.venv`
}

export function installHint(
  { id, config }: { readonly id: string; readonly config: Installed },
  text: string,
): string | undefined {
  const wanted = missingPackage(text)
  if (wanted === undefined || environmentFor(config) === undefined) return undefined
  const install = `install it: drydock endpoint install ${id} ${shellQuoted(wanted)}`
  if (config.virtualEnv !== undefined) return install
  return `${install}; or name the environment that has it: drydock endpoint update ${id} --virtual-env .venv`
}

/** Packages of apps come with a deploy. `svc` itself explains packages that builds leave to images. */
export function deployHint(text: string): string | undefined {
  const wanted = missingPackage(text)
  return wanted === undefined || text.includes('Builds leave it')
    ? undefined
    : `add ${wanted} to requirements.txt and deploy again`
}

const HINT = / \(((?:install it:|add \S+ to requirements\.txt) [^()]*)\)/

export const withHint = (reason: string, hint: string | undefined) =>
  hint === undefined ? reason : `${reason} (${hint})`

/** For places that have room only for the cause, without the hint of `withHint`. */
export function splitHint(reason: string): { readonly cause: string; readonly hint: string | undefined } {
  return { cause: reason.replace(HINT, ''), hint: HINT.exec(reason)?.[1] }
}

/** A reason for the pages, which set the environment in a form. */
export function withSettingName(reason: string): string {
  return reason.replace(
    /: drydock endpoint update \S+ --virtual-env ([\w./-]+)/g,
    ' in Virtual environment of its settings, like $1',
  )
}
