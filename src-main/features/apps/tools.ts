import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { ResponseOf } from '../../app/client/calls.ts'
import type { ServiceClient } from '../../app/client/service-client.ts'
import { readingTool, type Tool, type ToolContext, tool } from '../../app/mcp/tool.ts'
import { when } from '../../app/mcp/tools/shared.ts'
import { environmentName, RUNS_ON } from '../../contract/app.ts'
import { writeExact } from '../../lib/json/plain.ts'

const projectId = z.string().max(100).describe('id of the project, as app_list has it')
const environment = environmentName.default('production')
const runsOn = z.enum(RUNS_ON).optional()

export const APP_TOOLS: readonly Tool[] = [
  readingTool({
    name: 'app_list',
    title: 'List apps',
    description:
      'The deployed apps with their environments, and the projects (folders of this machine) that were opened.',
    input: {},
    async run(_input, { client }) {
      const [{ apps }, { projects }] = await Promise.all([client.call('appList'), client.call('projectList')])
      return {
        data: { apps, projects: projects.map(({ openedAt, ...one }) => ({ ...one, openedAt: when(openedAt) })) },
      }
    },
  }),
  readingTool({
    name: 'app_read',
    title: 'Read an environment of an app',
    description: 'Endpoints, releases and names of variables of an environment of a deployed app.',
    input: { app: z.string().max(200), environment },
    run: async (path, { client }) => ({ data: await client.call('environmentRead', { path }) }),
  }),
  tool({
    name: 'app_open',
    title: 'Open a folder as a project',
    description:
      'Opens a folder of the machine of the service, so that its app can be planned, previewed and deployed. With `from` the app is made first: `app` is the template of `drydock init`. Gives the project with what is in its source, and what is wrong with it.',
    input: {
      folder: z.string().min(1).max(4096).describe('absolute path'),
      from: z.string().max(100).optional().describe('template or example to make it from, in an empty folder'),
    },
    role: 'deploy',
    effect: 'writes',
    async run(body, { client }) {
      const { id } = await client.call('projectOpen', { body })
      return { data: await readProject(client, id) }
    },
  }),
  readingTool({
    name: 'app_source',
    title: 'Read the source of a project',
    description: 'Endpoints and functions that the source of a project has now, and its errors with file and line.',
    input: { projectId },
    run: async ({ projectId: id }, { client }) => ({ data: await readProject(client, id) }),
  }),
  tool({
    name: 'app_plan',
    title: 'Plan a deploy',
    description:
      'Builds the app of a project if its source has changed, and says what a deploy would create, change and delete. Nothing is deployed. Its planId is what app_deploy needs.',
    input: { projectId, environment, runsOn },
    role: 'deploy',
    effect: 'writes',
    run: async (wanted, { client, signal }) => ({ data: await makePlan(client, wanted, signal) }),
  }),
  tool({
    name: 'app_deploy',
    title: 'Deploy an app',
    description:
      'Deploys what app_plan showed. It needs the planId of that plan, and refuses where the plan is another by now; a person is asked where the client can. The release becomes active when all endpoints are ready, else nothing changes.',
    input: {
      projectId,
      environment,
      runsOn,
      planId: z.string().max(100).describe('planId that app_plan gave for the same project and environment'),
      deletes: z.array(z.string()).max(100).default([]).describe('endpoints of the plan that may be deleted'),
    },
    role: 'deploy',
    effect: 'dangerous',
    run: deploy,
  }),
  readingTool({
    name: 'release_read',
    title: 'Read a release',
    description: 'How far a release is, which endpoint failed, and why.',
    input: { app: z.string().max(200), environment, number: z.number().int().min(1) },
    run: async ({ number, ...path }, { client }) => ({
      data: await client.call('releaseRead', { path: { ...path, number: String(number) } }),
    }),
  }),
  tool({
    name: 'app_preview',
    title: 'Start, read or stop a preview',
    description:
      'A preview runs the app of a project in a service of its own while files are edited: each save is live within a second. Read it for its addresses, its log lines and what is wrong with the newest save.',
    input: { projectId, action: z.enum(['start', 'read', 'stop']) },
    role: 'deploy',
    effect: 'writes',
    async run({ projectId: id, action }, { client }) {
      const path = { projectId: id }
      const view = await client.call(PREVIEW[action], { path })
      const { notes, ...rest } = view as ResponseOf<'previewRead'>
      return {
        data: {
          ...rest,
          startedAt: when(rest.startedAt),
          notes: notes
            .slice(-NOTES)
            .map(({ at, kind, text, endpoint }) => `${when(at)} ${kind} ${endpoint ?? ''} ${text}`),
        },
      }
    },
  }),
]

const PREVIEW = { start: 'previewStart', read: 'previewRead', stop: 'previewStop' } as const
const NOTES = 40

async function readProject(client: ServiceClient, id: string) {
  const { manifest, openedAt, ...project } = await client.call('projectRead', { path: { projectId: id } })
  const resources = manifest?.resources
  return {
    ...project,
    openedAt: when(openedAt),
    endpoints: resources === undefined ? undefined : Object.keys(resources),
  }
}

type Wanted = {
  readonly projectId: string
  readonly environment: string
  readonly runsOn?: (typeof RUNS_ON)[number] | undefined
}

async function makePlan(client: ServiceClient, { projectId: id, ...wanted }: Wanted, signal: AbortSignal) {
  const planned = await client.call('projectPlan', { path: { projectId: id }, body: { ...wanted }, signal })
  return { planId: planId(id, planned), ...planned }
}

const ID_LENGTH = 24

function planId(project: string, planned: unknown): string {
  return createHash('sha256')
    .update(`${project}\n${writeExact(planned)}`)
    .digest('base64url')
    .slice(0, ID_LENGTH)
}

async function deploy(
  { deletes, planId: seen, ...wanted }: Wanted & { readonly planId: string; readonly deletes: readonly string[] },
  { client, signal, confirm, report }: ToolContext,
) {
  const { planId: current, artifact, plan } = await makePlan(client, wanted, signal)
  if (current !== seen)
    throw new Error(
      'Nothing was deployed: the plan is another than the one that was seen, or its planId is wrong. Call app_plan, look at it, and deploy with its planId.',
    )
  const { app, environment: name } = plan
  const answer = await confirm(`Deploy ${app} to ${name}? ${stepsText(plan)}`)
  if (answer === 'no') throw new Error('Nothing was deployed: the person said no.')
  report(`deploys ${app} to ${name}`)
  const body = { source: { artifact }, deletes: [...deletes], git: plan.git, runsOn: plan.runsOn }
  const { release, steps, warnings } = await client.call('releaseCreate', {
    path: { app, environment: name },
    body: body as never,
  })
  return {
    data: { release, steps, warnings },
    more: `Follow it with release_read: app ${app}, environment ${name}, number ${release.number}.`,
  }
}

const stepsText = ({ steps }: ResponseOf<'projectPlan'>['plan']): string =>
  steps.map(({ resource, action }) => `${action} ${resource}`).join(', ') || 'Nothing changes.'
