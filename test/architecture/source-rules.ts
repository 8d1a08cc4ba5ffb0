import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { filesOf } from './import-rules.ts'

/** A place in the source that breaks a rule. */
export interface Finding {
  readonly rule: string
  /** Path from the root, with the line: `src-main/http/run.ts:12`. */
  readonly at: string
  readonly what: string
}

type Node = ts.Node
type Found = { readonly node: Node; readonly what: string }

interface SourceRule {
  readonly appliesTo: RegExp
  readonly except?: RegExp
  readonly find: (file: ts.SourceFile) => readonly Found[]
}

/** Calls that read the clock or chance, as they are written. */
const CLOCK_AND_CHANCE = new Set([
  'Date.now',
  'Math.random',
  'process.env',
  'process.hrtime',
  'process.uptime',
  'performance.now',
  'crypto.randomUUID',
  'crypto.randomBytes',
  'crypto.getRandomValues',
  'AbortSignal.timeout',
])
const TIMERS = new Set(['setTimeout', 'setInterval', 'setImmediate'])
const CHANCE_IMPORTS = new Set(['randomUUID', 'randomBytes', 'randomInt', 'performance'])

const SQL =
  /\b(SELECT\s+\S|INSERT\s+(OR\s+\w+\s+)?INTO\b|UPDATE\s+\w+\s+SET\b|DELETE\s+FROM\b|CREATE\s+(UNIQUE\s+)?(TABLE|INDEX)\b|PRAGMA\s+\w+)/
const MAKES_A_SERVER = new Set(['createServer', 'createSecureServer', 'Server'])

/** The rules that imports do not show, by name. */
export const SOURCE_RULES = {
  'no clock and no chance in lib, contract, rules and services: take a Clock or newId as an argument': {
    appliesTo: new RegExp((['lib', 'contract', 'rules', 'services'] as const).map(filesOf).join('|')),
    find: (file) => collect(file, clockOrChance),
  },
  'SQL only in stores': {
    appliesTo: /^src-(main|renderer)\//,
    except: new RegExp((['database', 'stores', 'storage'] as const).map(filesOf).join('|')),
    find: (file) => collect(file, sql),
  },
  'only http/server/listen.ts opens a port': {
    appliesTo: /^src-(main|renderer)\//,
    // A session of BuildKit is served on a connection that Drydock opened.
    except: /^src-main\/(http\/server\/listen|runtimes\/docker\/buildkit)\.ts$/,
    find: (file) => collect(file, opensAPort),
  },
  'pages import code with loadCode, which loads a lost file again': {
    appliesTo: /^src-renderer\//,
    find: (file) => collect(file, importsOnce),
  },
  'a docstring says something': {
    appliesTo: /^(src-main|src-renderer|resources\/node|test\/support)\//,
    find: emptyDocstrings,
  },
  'a skipped test says why: call skip(condition, reason) of the test context': {
    appliesTo: /^test\/.*\.test\.tsx?$/,
    find: (file) => collect(file, skipsWithoutReason),
  },
} satisfies Record<string, SourceRule>

/** Name of a rule. */
export type SourceRuleName = keyof typeof SOURCE_RULES

/**
 * Reads the source files below a root: TypeScript and JavaScript.
 * @returns text by path from the root, with forward slashes.
 */
export function readSources(root: string): Record<string, string> {
  const paths = globSync('{src-main,src-renderer,resources/node,test}/**/*.{ts,tsx,mjs,js}', {
    cwd: root,
    exclude: (path) => /(^|\/)(node_modules|fixtures)$/.test(path),
  })
  return Object.fromEntries(
    paths.map((path) => [path.replaceAll('\\', '/'), readFileSync(join(root, path), 'utf8')]).sort(),
  )
}

/** Applies every rule to every file that it is for. */
export function findInSources(sources: Readonly<Record<string, string>>): Finding[] {
  return Object.entries(sources).flatMap(([path, text]) => {
    const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
    return Object.entries<SourceRule>(SOURCE_RULES).flatMap(([rule, { appliesTo, except, find }]) => {
      if (!appliesTo.test(path) || except?.test(path)) return []
      return find(file).map(({ node, what }) => {
        const { line } = file.getLineAndCharacterOfPosition(node.getStart(file))
        return { rule, at: `${path}:${line + 1}`, what }
      })
    })
  })
}

/** Walks the tree and keeps what `look` gives; a node that gave something is not looked into. */
function collect(file: ts.SourceFile, look: (node: Node) => string | undefined): Found[] {
  const found: Found[] = []
  const visit = (node: Node) => {
    const what = look(node)
    if (what === undefined) ts.forEachChild(node, visit)
    else found.push({ node, what })
  }
  visit(file)
  return found
}

function clockOrChance(node: Node): string | undefined {
  if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
    if (/^(node:)?timers(\/|$)/.test(node.moduleSpecifier.text)) return node.moduleSpecifier.text
  }
  if (ts.isImportSpecifier(node)) {
    const name = (node.propertyName ?? node.name).text
    return CHANCE_IMPORTS.has(name) ? name : undefined
  }
  if (ts.isPropertyAccessExpression(node)) {
    const name = node.getText().replace(/^globalThis\./, '')
    if (CLOCK_AND_CHANCE.has(name) || (name !== node.getText() && TIMERS.has(name))) return name
  }
  const isDate = (ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText() === 'Date'
  if (isDate && (ts.isCallExpression(node) || !node.arguments?.length)) return node.getText()
  if (ts.isIdentifier(node) && TIMERS.has(node.text) && isUsedAsValue(node)) return node.text
  return undefined
}

/** False for the name of a property, a parameter or a member: `clock.setTimeout` is a port and no timer. */
function isUsedAsValue(name: ts.Identifier): boolean {
  const { parent } = name
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === name
  if (ts.isShorthandPropertyAssignment(parent)) return true
  return !('name' in parent && parent.name === name)
}

function sql(node: Node): string | undefined {
  if (!ts.isStringLiteralLike(node) && !ts.isTemplateExpression(node)) return undefined
  return SQL.exec(ts.isTemplateExpression(node) ? node.getText() : node.text)?.[0]
}

/** A server is made, or something that is one by its name or its argument listens; `waiters.listen(id)` is not it. */
function opensAPort(node: Node): string | undefined {
  if (!ts.isCallExpression(node) && !ts.isNewExpression(node)) return undefined
  const { expression } = node
  const name = ts.isPropertyAccessExpression(expression) ? expression.name.text : expression.getText()
  if (MAKES_A_SERVER.has(name)) return expression.getText()
  if (name !== 'listen' || !ts.isPropertyAccessExpression(expression)) return undefined
  const argument = node.arguments?.[0]?.getText() ?? ''
  const isServer = /server$/i.test(expression.expression.getText())
  return isServer || /^\d+$|port$|[{,]\s*(port|path|fd)\b/i.test(argument) ? expression.getText() : undefined
}

function importsOnce(node: Node): string | undefined {
  if (!ts.isCallExpression(node) || node.expression.kind !== ts.SyntaxKind.ImportKeyword) return undefined
  const caller = ts.isArrowFunction(node.parent) ? node.parent.parent : undefined
  const isLoaded = caller !== undefined && ts.isCallExpression(caller) && caller.expression.getText() === 'loadCode'
  return isLoaded ? undefined : node.getText()
}

const TEST_FUNCTIONS = new Set(['test', 'it', 'describe', 'suite'])
const SILENT = new Set(['skip', 'skipIf', 'runIf', 'only'])

function skipsWithoutReason(node: Node): string | undefined {
  if (ts.isPropertyAccessExpression(node) && SILENT.has(node.name.text)) {
    const root = node.expression.getText().split('.')[0] ?? ''
    if (TEST_FUNCTIONS.has(root)) return node.getText()
  }
  return undefined
}

// The name says it already: "Makes them." over createX, "The book." over a type.
const SAYS_NOTHING = /^(?:(?:Makes|Starts|Reads|Writes|Draws|Shows|Runs) (?:it|them|one)|(?:The|An?) [\w-]+)\.?$/

function emptyDocstrings(file: ts.SourceFile): Found[] {
  return file.statements.flatMap((node) => {
    const modifiers = ts.canHaveModifiers(node) ? (ts.getModifiers(node) ?? []) : []
    const isExported = modifiers.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)
    const docs = isExported ? ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc) : []
    return docs
      .map((doc) => ts.getTextOfJSDocComment(doc.comment) ?? '')
      .filter((what) => SAYS_NOTHING.test(what))
      .map((what) => ({ node, what }))
  })
}
