/**
 * Makes JavaScript of the programs in `resources/node`, for packages: Node removes no types from files below
 * `node_modules`. Each file stays a file at its place, so that paths, stack traces and what lies beside them hold.
 */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import ts from 'typescript'

// What the handlers import of the sources.
const IMPORTED_SOURCES = ['src-main/contract/limits.ts', 'src-main/domain/media', 'src-main/domain/workflow']
const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2024,
  module: ts.ModuleKind.ESNext,
  rewriteRelativeImportExtensions: true,
  verbatimModuleSyntax: true,
}

/** Names of libraries that the programs import. */
export const LIBRARIES_OF_PROGRAMS: readonly string[] = ['jsonc-parser', 'fast-png', 'jpeg-js']

/**
 * Writes them, with what they import of the sources.
 * @param root the clone
 * @param to folder that takes `resources/node` and the part of `src-main`
 */
export function buildPrograms(root: string, to: string): void {
  for (const path of ['resources/node', ...IMPORTED_SOURCES].flatMap((start) => filesOf(root, start))) {
    const text = readFileSync(join(root, path))
    if (path.endsWith('.ts')) write(join(to, path.replace(/\.ts$/, '.js')), withoutTypes(path, text.toString()))
    else write(join(to, path), text)
  }
}

function withoutTypes(path: string, text: string): string {
  const { outputText, diagnostics = [] } = ts.transpileModule(text, {
    fileName: path,
    compilerOptions: OPTIONS,
    reportDiagnostics: true,
  })
  const fault = diagnostics[0]
  if (fault !== undefined) throw new Error(`${path}: ${ts.flattenDiagnosticMessageText(fault.messageText, '\n')}`)
  return outputText
}

/** Files below a file or folder, relative to the root. */
function filesOf(root: string, start: string): readonly string[] {
  if (statSync(join(root, start)).isFile()) return [start]
  return readdirSync(join(root, start), { withFileTypes: true }).flatMap((entry) => {
    const path = `${start}/${entry.name}`
    return entry.isDirectory() ? filesOf(root, path) : [path]
  })
}

function write(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}
