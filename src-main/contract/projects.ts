/**
 * Projects: folders of this machine with an app, as the pages open them. They are built, previewed and deployed from
 * there. Source: ours, because no public API has them.
 */
import { z } from 'zod'
import { deployedEndpoint, deployPlan, RUNS_ON, releaseStep } from './app.ts'
import { BUILD_STEPS } from './build.ts'
import { manifest } from './manifest.ts'
import { moment } from './routes.ts'

/** Something wrong with an app or its build. */
const problem = z.object({
  code: z.string(),
  message: z.string(),
  file: z.string().optional().describe('relative to the project'),
  line: z.number().int().optional(),
})

/** A folder with what it holds for a person who looks for an app. */
const listedFolder = z.object({
  name: z.string(),
  path: z.string(),
  isApp: z.boolean().describe('whether a Python file in it names the package of apps'),
})

/** A file that a handler may be in. */
const listedFile = z.object({
  name: z.string(),
  path: z.string(),
  isHandler: z.boolean().describe('whether it names a handler'),
})

/** Folders within a folder of this machine, sorted by name; hidden ones are left out. */
export const folderList = z.object({
  path: z.string(),
  parent: z.string().optional(),
  folders: z.array(listedFolder),
  files: z.array(listedFile).optional().describe('files of Python and TypeScript, where they were asked for'),
  capped: z.boolean().describe('whether there are more than are listed'),
})

/** Folders within a folder. */
export type FolderList = z.infer<typeof folderList>

/** How far a preview is. `broken`: the newest save does not build or start; what answered before goes on. */
const PREVIEW_STATES = ['starting', 'live', 'broken', 'stopping', 'ended'] as const

/** A project as a list shows it. */
export const projectView = z.object({
  id: z.string(),
  folder: z.string(),
  app: z.string().describe('name under which it is deployed'),
  isThere: z.boolean().describe('whether the folder can still be read'),
  openedAt: moment,
  preview: z.enum(PREVIEW_STATES).optional().describe('missing: none was started since the service began'),
  build: z.enum(['running', 'done', 'failed', 'cancelled']).optional(),
})

/** A project as the API gives it. */
export type ProjectView = z.infer<typeof projectView>

/** A project with what discovery finds in its source now. Nothing of the user's is run. */
export const projectDetail = projectView.extend({
  manifest: manifest.optional().describe('missing where the source has errors'),
  problems: z.array(problem),
  warnings: z.array(problem),
  calls: z
    .array(z.object({ from: z.string(), to: z.string(), functions: z.array(z.string()) }))
    .describe('which endpoint calls functions of which other one'),
  places: z
    .record(z.string(), z.object({ file: z.string(), line: z.number().int() }))
    .describe('where each endpoint is in the source'),
})

/** A project with its source. */
export type ProjectDetail = z.infer<typeof projectDetail>

/** A step of a build with what it says. `tookMs` once it ended. */
const buildStepView = z.object({
  step: z.enum(BUILD_STEPS),
  state: z.enum(['waiting', 'running', 'done', 'failed']),
  tookMs: z.number().optional(),
  text: z.string().optional().describe('the newest line of its progress, then its summary'),
})

/** A piece of an artifact: a package, or a folder or file of the project. Sizes as they lie unpacked. */
export const artifactPiece = z.object({
  path: z.string().describe('from the root of the artifact, with forward slashes'),
  kind: z.enum(['package', 'project', 'generated']),
  bytes: z.number().int(),
  files: z.number().int(),
  version: z.string().optional().describe('of a package'),
})

/** A piece of an artifact. */
export type ArtifactPiece = z.infer<typeof artifactPiece>

/** Something large that could stay out of the artifact. */
export const excludeSuggestion = z.object({
  path: z.string(),
  bytes: z.number().int(),
  how: z.enum(['exclude', 'ignore']).describe('exclude: a name for --exclude; ignore: a line for .gitignore'),
  entry: z.string().describe('what to write there'),
  why: z.string(),
})

/** Something large that could stay out. */
export type ExcludeSuggestion = z.infer<typeof excludeSuggestion>

/** The newest build of a project. */
export const buildView = z.object({
  state: z.enum(['running', 'done', 'failed', 'cancelled']),
  startedAt: moment,
  endedAt: moment.optional(),
  steps: z.array(buildStepView),
  problems: z.array(problem),
  warnings: z.array(problem),
  result: z
    .object({
      artifact: z.string().describe('SHA-256; the service holds it under this name'),
      bytes: z.number().int(),
      unpackedBytes: z.number().int(),
      files: z.number().int(),
      fingerprint: z.string(),
      pythonVersion: z.string(),
      packagesCached: z.boolean(),
      pieces: z.array(artifactPiece).describe('largest first; small ones are joined'),
      suggestions: z.array(excludeSuggestion),
    })
    .optional(),
})

/** The newest build of a project. */
export type BuildView = z.infer<typeof buildView>

/** Something that a preview reported, newest last. */
const previewNote = z.object({
  at: moment,
  kind: z.enum(['info', 'live', 'warning', 'error', 'log']),
  text: z.string(),
  endpoint: z.string().optional().describe('of a log line'),
  tookMs: z.number().optional().describe('of live: from the save to the new code'),
  files: z.array(z.string()).optional().describe('of live: what changed'),
})

/** A preview of a project: a service of its own that follows every save. */
export const previewView = z.object({
  state: z.enum(PREVIEW_STATES),
  startedAt: moment,
  url: z.string().optional().describe('of its service, once that answers'),
  release: z.number().int().optional().describe('the one that answers'),
  runsOn: z.enum(RUNS_ON).optional(),
  steps: z.array(releaseStep).describe('of the release that is being prepared'),
  endpoints: z.array(deployedEndpoint),
  problems: z.array(problem).describe('of the newest save'),
  why: z.string().optional().describe('why it ended, or why the newest save does not run'),
  notes: z.array(previewNote).describe('the newest 500'),
})

/** A preview of a project. */
export type PreviewView = z.infer<typeof previewView>

/** What to leave out of a build, and how it is made. */
export const projectBuildRequest = z.strictObject({
  exclude: z.array(z.string().min(1).max(200)).max(100).default([]),
  images: z.enum(['specified', 'observed']).default('specified'),
  python: z
    .string()
    .regex(/^3\.\d{1,2}$/, 'must be a version like 3.12')
    .optional(),
})

/** How to build. */
export type ProjectBuildRequest = z.infer<typeof projectBuildRequest>

/** A plan of a deploy, and the artifact that a release of it names. */
export const projectPlan = z.object({ artifact: z.string(), plan: deployPlan })

/** An example app that comes along. */
export const exampleView = z.object({
  name: z.string(),
  summary: z.string(),
  endpoints: z.array(z.string()),
})

/** An example app that comes along. */
export type ExampleView = z.infer<typeof exampleView>
