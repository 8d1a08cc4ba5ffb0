/**
 * Packages from the registries: the page and the templates of the public editor, and clients of ComfyUI servers. Kept in
 * a folder of the machine between runs, since a version never changes.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** Versions that belong together; `newest` takes what the index has today. */
export type Release = { readonly name: string; readonly page: string; readonly templates: string }

/** The release that everything is held against: that of the classes that come along. */
export const PINNED: Release = { name: 'pinned', page: '==1.49.6', templates: '==0.11.44' }

/** The newest version in the index. */
export const NEWEST: Release = { name: 'newest', page: '', templates: '' }

/** A folder with the page's files, and the templates by name. */
export type Installed = { readonly page: string; readonly templates: ReadonlyMap<string, string> }

/** Installs a release, where it is not there yet. The newest is looked for each time. */
export function install(release: Release): Installed {
  const folder = join(cache(), release.name)
  if (release === NEWEST || !existsSync(folder)) {
    const fresh = `${folder}.new`
    rmSync(fresh, { recursive: true, force: true })
    mkdirSync(fresh, { recursive: true })
    pip(fresh, [`comfyui-frontend-package${release.page}`, `comfyui-workflow-templates${release.templates}`])
    // Without their pictures, which are a gigabyte: of what the templates need, the one package that holds them.
    pip(fresh, [neededBy(fresh, 'comfyui_workflow_templates-', 'comfyui-workflow-templates-json')])
    rmSync(folder, { recursive: true, force: true })
    renameSync(fresh, folder)
  }
  const templates = join(folder, 'comfyui_workflow_templates_json', 'templates')
  const names = readdirSync(templates).filter((name) => name.endsWith('.json'))
  return {
    page: join(folder, 'comfyui_frontend_package', 'static'),
    templates: new Map(
      names.flatMap((name) => {
        const text = readFileSync(join(templates, name), 'utf8')
        // Lists of them, and what else is no workflow.
        return JSON.parse(text).nodes === undefined ? [] : [[name.slice(0, -'.json'.length), text]]
      }),
    ),
  }
}

/**
 * Installs a package with all that it needs, unless it is there.
 * @returns the folder
 */
export function installClient(from: 'pypi' | 'npm', name: string): string {
  const folder = join(cache(), 'clients', name.replace(/[^\w.-]+/g, '_'))
  if (existsSync(folder)) return folder
  const fresh = `${folder}.new`
  rmSync(fresh, { recursive: true, force: true })
  mkdirSync(fresh, { recursive: true })
  if (from === 'pypi') pip(fresh, [name], [])
  else run('npm', ['install', '--prefix', fresh, '--ignore-scripts', '--no-audit', '--no-fund', '--silent', name])
  renameSync(fresh, folder)
  return folder
}

const cache = () => process.env.DRYDOCK_COMFY_CACHE ?? join(homedir(), '.cache', 'drydock-test-comfy')

function pip(folder: string, packages: readonly string[], more: readonly string[] = ['--no-deps']): void {
  const options = ['--quiet', '--disable-pip-version-check', '--root-user-action=ignore', '--target', folder, ...more]
  run('python3', ['-m', 'pip', 'install', ...options, ...packages])
}

function run(program: string, args: readonly string[]): void {
  execFileSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'] })
}

/** A requirement in the metadata of a package: `name==version`. */
function neededBy(folder: string, prefix: string, name: string): string {
  const info = readdirSync(folder).find((one) => one.startsWith(prefix) && one.endsWith('.dist-info'))
  const metadata = info === undefined ? '' : readFileSync(join(folder, info, 'METADATA'), 'utf8')
  const found = new RegExp(`^Requires-Dist: (${name}==[\\w.]+)$`, 'm').exec(metadata)?.[1]
  if (found === undefined) throw new Error(`the metadata of ${prefix} do not ask for ${name}`)
  return found
}
