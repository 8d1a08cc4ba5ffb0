import { describeJob } from '../../features/jobs/tools.ts'
import type { ServiceClient } from '../client/service-client.ts'
import { logText } from './tools/shared.ts'

/** One kind of resource. `uri` holds `{id}` where there are many. */
export type ResourceKind = {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly uri: string
  readonly mediaType: 'application/json' | 'text/plain' | 'text/markdown'
  readonly list?: (client: ServiceClient) => Promise<readonly { readonly id: string; readonly title: string }[]>
  readonly read: (client: ServiceClient, id: string, now: () => number) => Promise<unknown>
}

const LOG_LINES = 200

export const RESOURCES: readonly ResourceKind[] = [
  {
    name: 'guide',
    title: 'How to work with Drydock',
    description: 'Explains endpoints, jobs and workers, which tool answers which question, and what is off.',
    uri: 'drydock://guide',
    mediaType: 'text/markdown',
    read: async () => GUIDE,
  },
  {
    name: 'endpoint',
    title: 'Settings of an endpoint',
    description: 'All settings of an endpoint and its state, without values of variables.',
    uri: 'drydock://endpoints/{id}',
    mediaType: 'application/json',
    list: async (client) =>
      (await client.call('endpointList')).endpoints.map(({ id, name }) => ({ id, title: `Endpoint ${name}` })),
    read: (client, endpointId) => client.call('endpointRead', { path: { endpointId } }),
  },
  {
    name: 'job',
    title: 'A job',
    description: 'A job with its timeline and why it is where it is.',
    uri: 'drydock://jobs/{id}',
    mediaType: 'application/json',
    read: (client, id, now) => describeJob({ client, now }, id),
  },
  {
    name: 'log',
    title: 'Log of an endpoint',
    description: 'The newest log lines of an endpoint.',
    uri: 'drydock://logs/{id}',
    mediaType: 'text/plain',
    list: async (client) =>
      (await client.call('endpointList')).endpoints.map(({ id, name }) => ({ id, title: `Log of ${name}` })),
    read: async (client, endpointId) =>
      logText((await client.call('endpointLogs', { path: { endpointId }, query: { tail: LOG_LINES } })).lines).join(
        '\n',
      ),
  },
  {
    name: 'workflow',
    title: 'A workflow',
    description: 'The document of a workflow of the library, as JSON.',
    uri: 'drydock://workflows/{id}',
    mediaType: 'application/json',
    list: async (client) =>
      (await client.call('workflowList')).workflows.map(({ id, name }) => ({ id, title: `Workflow ${name}` })),
    read: async (client, workflowId) => (await client.call('workflowRead', { path: { workflowId } })).text,
  },
]

const GUIDE = `# Drydock

A local service that runs serverless endpoints as a public platform does. A client sends a job to an endpoint
(\`POST /v2/ENDPOINT/run\` with \`{"input": {...}}\`); it is queued durably; a worker (a process or container that runs the
endpoint's handler) takes it and reports the result. Workers start when work comes (cold start) and end when idle.

| question | tool |
|---|---|
| Why did this job fail, why does it hang, why was it slow? | \`job_read\`, then \`why_waiting\` for its endpoint |
| Why do jobs of this endpoint wait or fail? | \`why_waiting\` |
| What did the handler print? | \`log_read\` with jobId or endpointId |
| Is the machine the problem: disk, Docker, GPU? | \`service_status\` |
| Which jobs failed, which mention a text? | \`job_search\` |
| Send a job and see its result | \`job_submit\`, then \`job_wait\` |
| Is this graph right? What does it draw? | \`workflow_validate\`; \`workflow_run\`, \`job_wait\`, \`run_picture\` |
| Bring code into production | \`app_open\`, \`app_plan\`, then \`app_deploy\` with its planId |

States of a job: IN_QUEUE, IN_PROGRESS, then COMPLETED, FAILED, CANCELLED or TIMED_OUT. Times are ISO 8601 in UTC; spans
that end in Ms are milliseconds. Long answers are cut and say how to get the rest. Secrets are never shown.

Tools that change something are off until a person allows them: \`--allow-writes\` for jobs, runs, graphs, plans and
previews; \`--allow-dangerous\` for settings, fault injection, deploys and deletions. A key may do what its role allows:
read, run, deploy, admin.
`
