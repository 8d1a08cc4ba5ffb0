/**
 * The words of a client, read from its sources: `signature NAME(ARGUMENTS)`, `constant NAME = VALUE`, `reads KEY`, and `text
 * TEXT` for other strings, which are texts of help and errors, addresses and names of variables.
 */
import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { npmInstall, prepareFolder } from '../sdk/support-packages.ts'
import { PIP } from '../sdk/support-python.ts'
import { type ClientName, installerOf, requirement } from './clients.ts'

const OF_PYTHON = fileURLToPath(new URL('words.py', import.meta.url))
const SHORTEST = 3
const MOST_BYTES = 64 * 2 ** 20

/** @throws where this version cannot be installed */
export async function wordsOf(client: ClientName, version: string): Promise<readonly string[]> {
  const wanted = requirement(client, version)
  const isPython = installerOf(client) === 'pip'
  const { ready, reason, folder } = await prepareFolder(`sources-${wanted.replaceAll('/', '-')}`, (made) =>
    isPython
      ? ['python3', ...PIP, 'install', '--quiet', '--no-deps', '--target', made, wanted]
      : npmInstall(made, wanted),
  )
  if (!ready) throw new Error(reason)
  if (isPython)
    return JSON.parse(execFileSync('python3', [OF_PYTHON, folder], { encoding: 'utf8', maxBuffer: MOST_BYTES }))
  const ofPackage = join(folder, 'node_modules', wanted.slice(0, wanted.lastIndexOf('@')))
  const files = globSync('**/*.{js,mjs,d.ts}', { cwd: ofPackage, exclude: ['**/node_modules'] })
  return [...new Set(files.flatMap((file) => wordsOfFile(file, readFileSync(join(ofPackage, file), 'utf8'))))]
}

function wordsOfFile(file: string, text: string): readonly string[] {
  const words: string[] = []
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  function visit(node: ts.Node): void {
    if (file.endsWith('.d.ts')) {
      const isDeclared = ts.isTypeElement(node) || ts.isClassElement(node) || ts.isStatement(node)
      if (isDeclared && !ts.isImportDeclaration(node)) words.push(`signature ${oneLine(node.getText(source))}`)
    } else if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) {
      if (node.text.length >= SHORTEST) words.push(`text ${oneLine(node.text)}`)
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return words
}

const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ').trim()
