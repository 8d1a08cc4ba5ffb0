import { z } from 'zod'

export type Prompt = {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: z.ZodObject
  readonly text: (input: Readonly<Record<string, string | undefined>>) => string
}

const text = (about: string) => z.string().max(4096).describe(about)

export const PROMPTS: readonly Prompt[] = [
  {
    name: 'why_did_it_fail',
    title: 'Find why a job failed',
    description: 'Finds the cause of a job that failed, hangs or is slow, with evidence and a fix.',
    input: z.strictObject({ jobId: text('id of the job') }),
    text: ({ jobId = '' }) =>
      [
        `Find out why the Drydock job ${jobId} failed, hangs or is slow. Change nothing.`,
        '1. Call job_read. `says` has the outcome with its reason; `timeline` each move; `log` its newest lines.',
        '2. If it waits, never began, or its worker was lost: call why_waiting with its endpoint.',
        '3. If the cause is an exception without its origin: call log_read with the jobId, then the endpointId.',
        '4. If several endpoints fail, or nothing explains it: call service_status.',
        'Then say the cause in one sentence, quote the line that shows it, and say what to change and where.',
      ].join('\n'),
  },
  {
    name: 'make_an_endpoint',
    title: 'Make an endpoint of this handler',
    description: 'Makes an endpoint of a handler file, sends it a job, and fixes what fails.',
    input: z.strictObject({
      file: text('absolute path of the handler file'),
      name: text('id of the endpoint').optional(),
    }),
    text: ({ file = '', name }) =>
      [
        `Make a Drydock endpoint of the handler file ${file}${name === undefined ? '' : ` with the id ${name}`}.`,
        '1. Read the file: a handler is a function that takes a job and returns a JSON value; job["input"] is what clients send.',
        '2. Call endpoint_create with its absolute path as `handler`, workersMin 0 and workersMax 1. It needs --allow-dangerous; if it is off, print the command `drydock endpoint create` for the person instead.',
        '3. Call job_submit with a small input that the file expects, then job_wait.',
        '4. If it does not complete, find the cause with job_read and why_waiting, fix the file, and try again: workers of a handler file are replaced with endpoint_pause (pause, then resume) or worker_replace.',
        'At the end show the input and the output, and how a client calls it.',
      ].join('\n'),
  },
  {
    name: 'improve_a_workflow',
    title: 'Change a workflow and see the result',
    description: 'Edits a graph of the library as asked, runs it, and looks at the picture.',
    input: z.strictObject({ workflowId: text('id of the workflow'), wish: text('what is to change') }),
    text: ({ workflowId = '', wish = '' }) =>
      [
        `Change the Drydock workflow ${workflowId}: ${wish}`,
        '1. Call workflow_read for its nodes; workflow_classes for classes that you need.',
        '2. Call workflow_edit with all edits at once. It saves a draft, which the person can undo in the editor.',
        '3. Call workflow_run, job_wait, then run_picture, and look at the picture.',
        '4. Edit again until it fits the wish; stop after five rounds and say what is missing.',
      ].join('\n'),
  },
]
