import { join } from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'

const FOLDER = join(import.meta.dirname, '..', '..', 'src-main')

/** Compiles a text as if it were a file of lib, with the options that contract, lib and rules are checked with. */
function complaints(text: string): string[] {
  const { config } = ts.readConfigFile(join(FOLDER, 'tsconfig.pure.json'), ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, FOLDER)
  const path = join(FOLDER, 'lib', 'planted.ts')
  const host = ts.createCompilerHost(options)
  const { readFile, fileExists } = host
  host.readFile = (name) => (name === path ? text : readFile(name))
  host.fileExists = (name) => name === path || fileExists(name)
  const diagnostics = ts.getPreEmitDiagnostics(ts.createProgram([path], options, host))
  return diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '))
}

test('the types of contract, lib and rules know no runtime, and zod checks there', () => {
  const found = complaints(`
    import { readFileSync } from 'node:fs'
    import { z } from 'zod'
    export const shape = z.strictObject({ id: z.string(), at: z.int().min(0) })
    export const id: string = shape.parse({}).id
    export const a = process.env
    export const b = setTimeout(() => {}, 1)
    export const c = document
    export const d = fetch('')
    export const e = Buffer.alloc(1)
    export const f: number = shape.parse({}).id
    export const g = readFileSync
  `)
  const names = ['node:fs', 'process', 'setTimeout', 'document', 'fetch', 'Buffer', 'string']
  expect(found.map((text) => /['"]([\w:]+)['"]/.exec(text)?.[1])).toEqual(names)
})
