/**
 * Projects: folders of this machine with an app, opened in the pages to build, preview and deploy them. Source: ours,
 * because no public API has them.
 */
import { z } from 'zod'
import { deployedEndpoint, deployPlan, RUNS_ON, releaseStep } from './app.ts'
import { BUILD_STEPS } from './build.ts'
import { manifest } from './manifest.ts'
import { moment } from './routes.ts'

const problem = z.object({
  code: z.string(),
  message: z.string(),
  file: z.string().optional().describe('relative to the project'),
  line: z.number().int().optional(),
})

const listedFolder = z.object({
  name: z.string(),
  path: z.string(),
  isApp: z.boolean().describe('whether a Python file in it names the package of apps'),
})

const listedFile = z.object({
  name: z.string(),
  path: z.string(),
  isHandler: z.boolean().describe('whether it names a handler'),
})

/** Folders inside a local folder, sorted by name, without hidden ones. */
export const folderList = z.object({
  path: z.string(),
  parent: z.string().optional(),
  folders: z.array(listedFolder),
  files: z.array(listedFile).optional().describe('files of Python and TypeScript, where they were asked for'),
  capped: z.boolean().describe('whether there are more than are listed'),
})

export type FolderList = z.infer<typeof folderList>

/** State of a preview. `broken`: the newest save does not build or start; the previous one keeps running. */
const PREVIEW_STATES = ['starting', 'live', 'broken', 'stopping', 'ended'] as const

export const projectView = z.object({
  id: z.string(),
  folder: z.string(),
  app: z.string().describe('name under which it is deployed'),
  isThere: z.boolean().describe('whether the folder can still be read'),
  openedAt: moment,
  preview: z.enum(PREVIEW_STATES).optional().describe('missing: none was started since the service began'),
  build: z.enum(['running', 'done', 'failed', 'cancelled']).optional(),
})

export type ProjectView = z.infer<typeof projectView>

/** A project with the current result of discovery. No user code is run. */
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

export type ProjectDetail = z.infer<typeof projectDetail>

/** A step of a build with its output. `tookMs` once it ended. */
const buildStepView = z.object({
  step: z.enum(BUILD_STEPS),
  state: z.enum(['waiting', 'running', 'done', 'failed']),
  tookMs: z.number().optional(),
  text: z.string().optional().describe('the newest line of its progress, then its summary'),
})

/** A piece of an artifact: a package, or a folder or file of the project. Unpacked sizes. */
export const artifactPiece = z.object({
  path: z.string().describe('from the root of the artifact, with forward slashes'),
  kind: z.enum(['package', 'project', 'generated']),
  bytes: z.number().int(),
  files: z.number().int(),
  version: z.string().optional().describe('of a package'),
})

export type ArtifactPiece = z.infer<typeof artifactPiece>

export const excludeSuggestion = z.object({
  path: z.string(),
  bytes: z.number().int(),
  how: z.enum(['exclude', 'ignore']).describe('exclude: a name for --exclude; ignore: a line for .gitignore'),
  entry: z.string().describe('what to write there'),
  why: z.string(),
})

export type ExcludeSuggestion = z.infer<typeof excludeSuggestion>

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

export type BuildView = z.infer<typeof buildView>

const previewNote = z.object({
  at: moment,
  kind: z.enum(['info', 'live', 'warning', 'error', 'log']),
  text: z.string(),
  endpoint: z.string().optional().describe('of a log line'),
  tookMs: z.number().optional().describe('of live: from the save to the new code'),
  files: z.array(z.string()).optional().describe('of live: what changed'),
})

/** A preview of a project: its own service, which follows every save. */
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

export type PreviewView = z.infer<typeof previewView>

export const projectBuildRequest = z.strictObject({
  exclude: z.array(z.string().min(1).max(200)).max(100).default([]),
  images: z.enum(['specified', 'observed']).default('specified'),
  python: z
    .string()
    .regex(/^3\.\d{1,2}$/, 'must be a version like 3.12')
    .optional(),
})

export type ProjectBuildRequest = z.infer<typeof projectBuildRequest>

export const projectPlan = z.object({ artifact: z.string(), plan: deployPlan })

export const exampleView = z.object({
  name: z.string(),
  summary: z.string(),
  endpoints: z.array(z.string()),
})

export type ExampleView = z.infer<typeof exampleView>
