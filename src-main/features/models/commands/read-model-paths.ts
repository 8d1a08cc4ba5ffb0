/**
 * Reads extra_model_paths.yaml like ComfyUI. A path outside its base becomes a separate folder, as model folders
 * contain nothing from elsewhere.
 */
import { readFile } from 'node:fs/promises'
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path'
import { parse } from 'yaml'
import { z } from 'zod'
import { usageError } from '../../../app/cli/cli-error.ts'
import type { Surroundings } from '../../../app/cli/surroundings.ts'
import type { ModelFolder } from '../../../contract/models.ts'

const section = z
  .object({ base_path: z.string().nullish(), is_default: z.boolean().nullish() })
  .catchall(z.string().nullish())
const pathsFile = z.record(z.string(), section.nullable())

type ModelPath = { readonly folder: string; readonly directory: string; readonly path: string }

// Python code in the same file as the models.
const NO_MODELS = 'custom_nodes'

/**
 * Default sections come first.
 * @returns at least one folder per base
 * @throws CliError USAGE if unreadable or empty
 */
export async function readModelPaths(
  path: string,
  surroundings: Pick<Surroundings, 'cwd' | 'home' | 'env'>,
): Promise<readonly ModelFolder[]> {
  const file = resolve(surroundings.cwd, path)
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw usageError(`${path} cannot be read (${error.code}). Give an extra_model_paths.yaml of ComfyUI.`)
  })
  const sections = Object.values(readSections(path, text)).filter((one) => one !== null)
  const modelPaths = sections
    .toSorted((a, b) => Number(b.is_default === true) - Number(a.is_default === true))
    .flatMap((one) => pathsOf(one, dirname(file), surroundings))
  if (modelPaths.length === 0)
    throw usageError(`${path} names no model folder. Its sections need lines like "loras: models/loras".`)
  return Array.from(
    Map.groupBy(modelPaths, ({ folder }) => folder),
    ([folder, own]) => ({ path: folder, directories: directoriesOf(own) }),
  )
}

function readSections(path: string, text: string): z.infer<typeof pathsFile> {
  let document: unknown
  try {
    // ComfyUI's reader uses the older version, in which `yes` is true.
    document = parse(text, { version: '1.1' }) ?? {}
  } catch (error) {
    const [why = ''] = (error as Error).message.split('\n')
    throw usageError(`${path} is not valid YAML: ${why.replace(/:$/, '')}.`)
  }
  const read = pathsFile.safeParse(document)
  if (read.success) return read.data
  const [issue] = read.error.issues
  const at = issue === undefined || issue.path.length === 0 ? '' : ` at ${issue.path.join('.')}`
  throw usageError(`${path} is not an extra_model_paths.yaml${at}: sections have lines like "loras: models/loras".`)
}

function pathsOf(
  { base_path, is_default: _isDefault, ...kinds }: z.infer<typeof section>,
  from: string,
  surroundings: Pick<Surroundings, 'home' | 'env'>,
): readonly ModelPath[] {
  const base = resolve(from, expanded(base_path ?? '', surroundings))
  return Object.entries(kinds).flatMap(([directory, text]) =>
    directory === NO_MODELS
      ? []
      : (text ?? '')
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => modelPath(base, directory, resolve(base, line))),
  )
}

function modelPath(base: string, directory: string, full: string): ModelPath {
  const within = relative(base, full)
  const isWithin = within !== '' && within !== '..' && !within.startsWith(`..${sep}`) && !isAbsolute(within)
  const folder = isWithin ? base : dirname(full)
  return { folder, directory, path: relative(folder, full).replaceAll(sep, '/') }
}

function directoriesOf(modelPaths: readonly ModelPath[]): ModelFolder['directories'] {
  const byDirectory = Map.groupBy(modelPaths, ({ directory }) => directory)
  return Object.fromEntries(
    Array.from(byDirectory, ([directory, own]) => [directory, [...new Set(own.map(({ path }) => path))]]),
  )
}

function expanded(path: string, { home, env }: Pick<Surroundings, 'home' | 'env'>): string {
  return path
    .replace(/^~(?=$|[\\/])/, () => home)
    .replace(/\$(?:(\w+)|\{([^}]+)\})/g, (text, bare?: string, braced?: string) => env[bare ?? braced ?? ''] ?? text)
}
