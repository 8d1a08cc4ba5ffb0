import { z } from 'zod'
import { limitedRecord } from './limited-record.ts'
import { limit } from './limits.ts'
import { machineChoice } from './machines.ts'
import { manifest } from './manifest.ts'
import { isReservedInApps, RESERVED_TEXT } from './reserved-variables.ts'

/** Name of an app: that of its project folder, so nearly any text. Source: docs/spec/platform.md, 3. */
export const appName = z
  .string()
  .trim()
  .regex(/^[^\p{Cc}/\\]{1,100}$/u, 'must be at most 100 characters without slashes')
  .refine((name) => name !== '.' && name !== '..', 'must be a name')

export const environmentName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/, 'must be letters, digits, dots, hyphens and underscores, at most 63')

export const variableName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,254}$/, 'must be a variable name')
  .refine((name) => !isReservedInApps(name), RESERVED_TEXT)

export const artifactName = z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in lower case hex')

/** An environment has at most one preparing and one active release. */
export const RELEASE_STATES = ['preparing', 'active', 'superseded', 'failed'] as const

export type ReleaseState = (typeof RELEASE_STATES)[number]

/** The app of an endpoint; only deploys set it. */
export const appMembership = z.object({
  name: z.string(),
  environment: z.string(),
  resource: z.string().describe('name of the endpoint within the app'),
  code: z.string().describe('SHA-256 of the artifact; the fingerprint, where the code is a folder of this machine'),
  fingerprint: z.string().optional().describe('of the code of this endpoint alone, see the manifest'),
  variables: z.number().int().describe('version of the variables that its workers get; 0: none'),
  machine: z.string().optional().describe('where its environment runs workers; missing: on this machine'),
  schedule: z.string().optional().describe('cron pattern in UTC of the schedule that its code declares'),
})

export type AppMembership = z.infer<typeof appMembership>

export const RUNS_ON = ['containers', 'processes'] as const

export type RunsOn = (typeof RUNS_ON)[number]

export const RELEASE_KINDS = ['deploy', 'rollback', 'variables'] as const

export type ReleaseKind = (typeof RELEASE_KINDS)[number]

// Control characters are rejected, as they would act on terminals.
const line = (longest: number) =>
  z
    .string()
    .max(longest)
    .regex(/^\P{Cc}*$/u, 'must be one line')

/** The commit of a release's code, according to `git` in the project before the build. */
export const gitState = z.strictObject({
  commit: z.string().regex(/^[0-9a-f]{40,64}$/, 'must be a hash in hex'),
  branch: line(255).optional().describe('missing: none was checked out'),
  message: line(200).describe('its first line'),
  clean: z.boolean().describe('false: files of the project were not as in the commit'),
})

export type GitState = z.infer<typeof gitState>

/** A release in the management API. `number` counts from 1 in its environment. */
export const releaseView = z.object({
  app: z.string(),
  environment: z.string(),
  number: z.number().int(),
  state: z.enum(RELEASE_STATES),
  fingerprint: z.string(),
  artifact: artifactName.optional().describe('missing if the code is a folder of this machine or an image'),
  pythonVersion: z.string(),
  runsOn: z.enum(RUNS_ON),
  kind: z.enum(RELEASE_KINDS),
  git: gitState.optional().describe('missing: its folder was in no repository'),
  rollbackOf: z.number().int().optional().describe('number of the release whose code it has'),
  reason: z.string().optional().describe('why it failed, or what ended it'),
  createdAt: z.number().int(),
  activatedAt: z.number().int().optional(),
  endedAt: z.number().int().optional(),
})

export type ReleaseView = z.infer<typeof releaseView>

// Values of variables are never shown.
const plannedChange = z.object({
  setting: z.string(),
  from: z.unknown().optional().describe('missing: it was not there'),
  to: z.unknown().optional().describe('missing: it goes away'),
})

export const plannedStep = z.object({
  resource: z.string(),
  action: z.enum(['create', 'update', 'unchanged', 'delete']),
  endpointId: z.string().optional(),
  changes: z.array(plannedChange).describe('of an update; of a new endpoint, only its schedule'),
  replacesWorkers: z.boolean().describe('a change of limits alone does not'),
})

export type PlannedStep = z.infer<typeof plannedStep>

const sourceFile = z.object({
  path: z.string(),
  change: z.enum(['added', 'changed', 'removed']),
  diff: z.array(z.string()).optional().describe('lines of a unified diff; only in plans of projects'),
  noDiff: z.enum(['binary', 'large']).optional().describe('why a plan of a project has no diff of it'),
})

export type SourceFile = z.infer<typeof sourceFile>

export const deployPlan = z.object({
  app: z.string(),
  environment: z.string(),
  makes: z.array(z.enum(['app', 'environment'])),
  runsOn: z.enum(RUNS_ON),
  machine: z.string().optional().describe('where workers of the environment run; missing: on this machine'),
  git: gitState.optional().describe('of the new code'),
  activeGit: gitState.optional().describe('of the active code'),
  steps: z.array(plannedStep),
  source: z
    .object({ files: z.array(sourceFile), more: z.number().int().describe('how many files are not listed') })
    .optional()
    .describe('files that differ from the active release; missing: there is none, or a build did not list its files'),
  tasks: z
    .array(z.string())
    .optional()
    .describe('of SDK 2.0: each call makes a worker, and nothing is deployed for them'),
  warnings: z.array(z.string()).describe('what differs from the manifest, like a GPU that this machine lacks'),
})

export type DeployPlan = z.infer<typeof deployPlan>

export const releaseStep = plannedStep.extend({
  state: z.enum(['waiting', 'starting', 'ready', 'failed', 'done']),
  note: z.string().optional().describe('what its first worker does, or why it failed'),
})

export type ReleaseStep = z.infer<typeof releaseStep>

export const deployedEndpoint = z.object({
  resource: z.string(),
  id: z.string(),
  loadBalanced: z.boolean(),
  url: z.string(),
  hostUrl: z.string().optional(),
  routes: z.array(z.string()).describe('of a load-balanced one, like "GET /health", in the order of the source'),
  functions: z.array(z.string()),
  examples: z
    .record(z.string(), z.record(z.string(), z.unknown()))
    .optional()
    .describe('sample arguments, by function or, for a load-balanced one, by route'),
})

export type DeployedEndpoint = z.infer<typeof deployedEndpoint>

export const releaseProgress = z.object({
  release: releaseView,
  steps: z.array(releaseStep).describe('empty once the service was restarted'),
  warnings: z.array(z.string()),
  endpoints: z.array(deployedEndpoint).describe('those the environment has now'),
})

export type ReleaseProgress = z.infer<typeof releaseProgress>

export const variableView = z.object({ name: z.string(), updatedAt: z.number().int() })

export const environmentView = z.object({
  app: z.string(),
  name: z.string(),
  createdAt: z.number().int(),
  active: releaseView.optional(),
  machine: z.string().optional().describe('where its workers run; missing: on this machine'),
  endpoints: z.number().int(),
  missing: z.array(z.string()).optional().describe('endpoints of the active release that were deleted since'),
  variables: z.number().int(),
})

export type EnvironmentView = z.infer<typeof environmentView>

export const environmentDetail = environmentView.extend({
  endpoints: z.array(deployedEndpoint),
  variables: z.array(variableView),
  releases: z.array(releaseView).describe('newest first'),
})

export type EnvironmentDetail = z.infer<typeof environmentDetail>

export const appView = z.object({
  name: z.string(),
  createdAt: z.number().int(),
  environments: z.array(environmentView),
})

export type AppView = z.infer<typeof appView>

const source = z
  .union([
    z.strictObject({ artifact: artifactName.describe('one that was uploaded') }),
    z.strictObject({
      folder: z.string().min(1).max(4096).describe('absolute folder of this machine with a built app'),
    }),
    z.strictObject({ image: manifest.describe('of a worker image, as `image-plan` makes it') }),
    z.strictObject({ release: z.number().int().min(1).describe('number of an earlier release of this environment') }),
    z.strictObject({ active: z.literal(true).describe('the active one, with the current variables') }),
  ])
  .describe('where the code is')

export const releaseCreate = z.strictObject({
  source,
  git: gitState.optional().describe('for a deploy; other releases have that of the release whose code they use'),
  runsOn: z.enum(RUNS_ON).optional().describe('default: containers if there is an engine, else processes'),
  machine: machineChoice.optional().describe('where workers of the environment run from now on (default: as before)'),
  deletes: z
    .array(z.string())
    .max(1000)
    .default([])
    .describe('endpoints that may be deleted because the app no longer has them'),
  withoutImages: z
    .boolean()
    .default(false)
    .describe('do not wait for ready images, and leave them out where there are no containers'),
  first: z
    .array(z.string())
    .max(1000)
    .optional()
    .describe(
      'endpoints whose new workers must be ready first (default: all). Others of which only the code changes get new workers as soon as the release is active',
    ),
})

export type ReleaseCreate = z.infer<typeof releaseCreate>

export type ReleaseSource = ReleaseCreate['source']

export const variablesUpdate = z.strictObject({
  set: limitedRecord(variableName, z.string().max(32_768), limit('variables')).default({}),
  remove: z.array(variableName).max(limit('variables')).default([]),
})

export type VariablesUpdate = z.infer<typeof variablesUpdate>

export const artifactStatus = z.object({
  state: z.enum(['missing', 'partial', 'complete']),
  received: z.number().int(),
  total: z.number().int().optional(),
})

export type ArtifactStatus = z.infer<typeof artifactStatus>
