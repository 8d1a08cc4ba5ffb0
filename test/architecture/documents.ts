/** Citations of the specification, links and file names in documents and comments lead somewhere. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

/** A text that points to what is not there. */
export interface DeadReference {
  /** Path from the root, with the line: `docs/spec/README.md:12`. */
  readonly at: string
  readonly what: string
}

/** Texts by path from the root, and whether there is a file or a folder. */
type Tree = {
  readonly documents: Readonly<Record<string, string>>
  readonly sources: Readonly<Record<string, string>>
  readonly exists: (path: string) => boolean
}

const LEFT_OUT = /(^|\/)(node_modules|out|__pycache__|\.git|fixtures)$/
const CODE = '{src-main,src-renderer,resources,test}/**/*.{ts,tsx,mjs,js,py,css,sh}'
// The rules and what is planted for them are about dead references.
const OF_THIS_CHECK = /^test\/architecture\/documents/

/** Reads all documents and all code below a root. */
export function readTree(root: string): Tree {
  const read = (pattern: string) => {
    const paths = globSync(pattern, { cwd: root, exclude: (path) => LEFT_OUT.test(path) })
    const named = paths.map((path) => path.replaceAll('\\', '/')).filter((path) => !OF_THIS_CHECK.test(path))
    return Object.fromEntries(named.toSorted().map((path) => [path, readFileSync(join(root, path), 'utf8')]))
  }
  return {
    documents: read('{*,{docs,src-main,src-renderer,resources,test}/**/*}.md'),
    sources: read(CODE),
    exists: (path) => existsSync(join(root, path)),
  }
}

/** Everything in a tree that points to what is not there. */
export function findDeadReferences(tree: Tree): readonly DeadReference[] {
  const anchors = new Map(Object.entries(tree.documents).map(([path, text]) => [path, anchorsOf(text)]))
  const { documents, sources } = tree
  return [
    ...Object.entries({ ...documents, ...sources }).flatMap(([path, text]) => deadCitations(path, text, anchors)),
    ...Object.entries(sources).flatMap(([path, text]) => olderCitations(path, text)),
    ...Object.entries(documents).flatMap(([path, text]) => [
      ...deadLinks(path, text, tree, anchors),
      ...deadFiles(path, text, tree),
    ]),
  ]
}

/** Targets for citations of a document: numbers of headings and table rows, and headings as links name them. */
function anchorsOf(text: string): ReadonlySet<string> {
  const prose = text.replace(/^```.*?^```/gms, '')
  const headings = [...prose.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading)
  const numbers = headings.map((heading) => /^(\d+(?:\.\d+)?)\. /.exec(heading)?.[1] ?? '')
  const rows = [...prose.matchAll(/^\| (\d+\.\d+) \|/gm)].map(([, number = '']) => number)
  const slugs = headings.map(
    (heading) =>
      `#${heading
        .toLowerCase()
        .replace(/[^\w\s-]/g, '')
        .replaceAll(' ', '-')}`,
  )
  return new Set([...numbers, ...rows, ...slugs])
}

const lineOf = (text: string, index: number) => text.slice(0, index).split('\n').length

// Comments break lines anywhere between words.
const GAP = String.raw`(?:\s*\n\s*(?:\*|//|#)?\s*| )`
const NUMBER = String.raw`\d+(?:\.\d+)?`
const CITATION = new RegExp(
  String.raw`(docs/spec/[\w-]+\.md)(?:,${GAP}(${NUMBER}(?:(?:,|${GAP}and)${GAP}${NUMBER}(?![\w.,]*\d))*))?`,
  'g',
)

function deadCitations(path: string, text: string, anchors: ReadonlyMap<string, ReadonlySet<string>>): DeadReference[] {
  return [...text.matchAll(CITATION)].flatMap(({ index, 1: page = '', 2: numbers = '' }) => {
    const at = `${path}:${lineOf(text, index)}`
    const known = anchors.get(page)
    if (known === undefined) return [{ at, what: page }]
    const cited = numbers.match(new RegExp(NUMBER, 'g')) ?? []
    return cited.filter((number) => !known.has(number)).map((number) => ({ at, what: `${page}, ${number}` }))
  })
}

// Pages and tickets that no reader of the repository has.
const ELSEWHERE =
  /\b[Ss]ources?:? '?(?:spec \d|issue\b|(?:service-spec|job-api|worker-protocol|app-deploy|image-workflows|targets|interface)\b(?!\/)|(?:editor|flash|peers|protocol) research)/g

function olderCitations(path: string, text: string): DeadReference[] {
  return [...text.matchAll(ELSEWHERE)].map(({ 0: what, index }) => ({ at: `${path}:${lineOf(text, index)}`, what }))
}

function deadLinks(
  path: string,
  text: string,
  { exists }: Tree,
  anchors: ReadonlyMap<string, ReadonlySet<string>>,
): DeadReference[] {
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(({ index, 1: target = '' }) => {
    if (/^[a-z]+:/.test(target)) return []
    const [file = '', anchor] = target.split('#')
    const page = file === '' ? path : normalize(join(dirname(path), file))
    const isThere = exists(page) && (anchor === undefined || anchors.get(page)?.has(`#${anchor}`))
    return isThere ? [] : [{ at: `${path}:${lineOf(text, index)}`, what: target }]
  })
}

// Folders that documents leave out of a path: `features/keys/rules.ts` is below the first of them.
const UNDERSTOOD = ['src-main', 'src-renderer', 'resources', 'resources/python', 'resources/node', 'test']
const FILE = /^[\w.@/-]+\.(?:ts|tsx|mjs|py|json|md|css|svg|png)$/
const CODE_FILE = /^[\w.-]+\.(?:tsx?|mjs)$/
const LAYER_IN_A_DRAWING =
  /(?<![\w/.-])(?:app|contract|database|features|http|lib|runtimes|storage)\/[\w/-]+(?:\.(?:ts|md|mjs)\b)?/g

/** Files that a document names: in code marks, and layers of src-main in its drawings. */
function deadFiles(path: string, text: string, { exists, sources }: Tree): DeadReference[] {
  if (/^(CHANGELOG|README|docs\/guide\/.*)\.md$/.test(path)) return [] // they name files of the reader
  const places = [dirname(path), '.', ...UNDERSTOOD]
  const isThere = (name: string) =>
    places.some((place) => ['', '.ts', '.tsx'].some((end) => exists(normalize(join(place, `${name}${end}`)))))
  const names = new Set(Object.keys(sources).map((source) => source.slice(source.lastIndexOf('/') + 1)))
  const isNamed = (name: string) => isThere(name) || (!name.includes('/') && names.has(name))
  const inMarks = [...text.replace(/^```.*?^```/gms, (block) => block.replace(/[^\n]/g, ' ')).matchAll(/`([^`\n]+)`/g)]
    .filter(([, name = '']) => !name.startsWith('/') && (name.includes('/') ? FILE : CODE_FILE).test(name))
    .map(({ index, 1: name = '' }) => ({ index, name }))
  const drawings = path.startsWith('src-main/') || path.startsWith('docs/') ? text.matchAll(/^```\n.*?^```/gms) : []
  const inDrawings = [...drawings].flatMap(({ 0: block, index: start }) =>
    [...block.matchAll(LAYER_IN_A_DRAWING)].map(({ 0: name, index }) => ({ index: start + index, name })),
  )
  return [...inMarks, ...inDrawings]
    .filter(({ name }) => !isNamed(name))
    .map(({ index, name }) => ({ at: `${path}:${lineOf(text, index)}`, what: name }))
}
