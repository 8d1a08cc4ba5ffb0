/** A Python module that an import did not find, and how to install it. */
import { type EndpointConfig, isNodeHandler } from '../../contract/endpoint.ts'
import { shellQuoted } from '../text.ts'

// Modules whose names differ from those of their packages.
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

/** The package that brings the module which a text of an error names. */
export function missingPackage(text: string): string | undefined {
  const [, module] = MISSING.exec(text) ?? []
  return module === undefined ? undefined : (PACKAGES[module] ?? module.replaceAll('_', '-'))
}

/** An endpoint as far as it decides where packages are installed. */
type Installed = Pick<EndpointConfig, 'handler' | 'command' | 'cwd' | 'container' | 'app' | 'virtualEnv'>

/**
 * The virtual environment that packages of an endpoint are installed into: its own, else `.venv` next to its code.
 * @returns undefined: its packages come with an image or a release, or nobody knows where its code is
 */
export function environmentFor({ handler, command, cwd, container, app, virtualEnv }: Installed): string | undefined {
  if (container !== undefined || app !== undefined) return undefined
  if (virtualEnv !== undefined) return virtualEnv
  if (handler !== undefined) return isNodeHandler(handler) ? undefined : handler.replace(/[^\\/]+$/, '.venv')
  return command === undefined || cwd === undefined ? undefined : `${cwd.replace(/\/$/, '')}/.venv`
}

/** The commands that mend a module which is missing; undefined: none does, or nothing is missing. */
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
