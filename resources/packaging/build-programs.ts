/**
 * Compiles `resources/node` for packages, as Node strips no types below `node_modules`. Files keep their places, so
 * that paths and stack traces hold.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import ts from 'typescript'

const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2024,
  module: ts.ModuleKind.ESNext,
  rewriteRelativeImportExtensions: true,
  verbatimModuleSyntax: true,
}

export const LIBRARIES_OF_PROGRAMS: readonly string[] = ['jsonc-parser', 'fast-png', 'jpeg-js', 'ws']

/**
 * @param root the clone
 * @param to folder that receives `resources/node` and the needed `src-main` files
 * @throws Error for a file that does not compile
 */
export function buildPrograms(root: string, to: string): void {
  const paths = new Set(filesBelow(root, 'resources/node'))
  for (const path of paths) {
    const content = readFileSync(join(root, path))
    if (path.endsWith('.ts')) {
      const program = withoutTypes(path, content.toString())
      write(join(to, path.replace(/\.ts$/, '.js')), program)
      for (const imported of importsOf(path, program)) paths.add(imported)
    } else write(join(to, path), content)
  }
}

function importsOf(path: string, program: string): readonly string[] {
  return ts
    .preProcessFile(program)
    .importedFiles.filter(({ fileName }) => fileName.startsWith('.'))
    .map(({ fileName }) => posix.join(posix.dirname(path), fileName).replace(/\.js$/, '.ts'))
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

function filesBelow(root: string, folder: string): readonly string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    return entry.isDirectory() ? filesBelow(root, path) : [path]
  })
}

function write(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}
