import type { CliCommand } from './cli-command.ts'
import type { Surroundings } from './surroundings.ts'

type AddCommand = (command: CliCommand, surroundings: Surroundings) => void

type CommandRow = readonly [description: string, load: () => Promise<AddCommand>]

export const TOPICS: Readonly<Record<string, Readonly<Record<string, CommandRow>>>> = {
  'The service': {
    start: [
      'open the desktop window; if that is not possible, run the service and call its sample',
      async () => (await import('./commands/start.ts')).addStart,
    ],
    serve: ['run the service until Ctrl+C', async () => (await import('./commands/serve.ts')).addServe],
    demo: [
      'run a service on a fresh data folder, send it real jobs and check every response',
      async () => (await import('./commands/demo.ts')).addDemo,
    ],
    doctor: [
      'check what the service needs, and say how to fix what is missing',
      async () => (await import('../../features/system/commands/doctor.ts')).addDoctor,
    ],
    recover: [
      'copy everything readable from a damaged data folder into a new one',
      async () => (await import('../../features/system/commands/recover.ts')).addRecover,
    ],
    open: [
      'open the web pages of the running service in the browser, signed in',
      async () => (await import('./commands/open.ts')).addOpen,
    ],
    settings: [
      'read or change the settings of the service',
      async () => (await import('../../features/settings/command.ts')).addSettings,
    ],
  },
  Apps: {
    init: [
      'create a small sample app with every kind of endpoint and no dependencies',
      async () => (await import('../../features/apps/commands/init.ts')).addInit,
    ],
    build: [
      'build the app in this folder: find its endpoints, install its packages, pack the artifact',
      async () => (await import('../../features/apps/commands/build.ts')).addBuild,
    ],
    deploy: [
      'build the app in this folder and deploy it to its endpoints without downtime',
      async () => (await import('../../features/apps/commands/deploy.ts')).addDeploy,
    ],
    rollback: [
      'go back to the code of an earlier release; this creates a release with the next number',
      async () => (await import('../../features/apps/commands/deploy.ts')).addRollback,
    ],
    undeploy: [
      'delete the endpoints of an environment and their jobs; releases and variables stay',
      async () => (await import('../../features/apps/commands/deploy.ts')).addUndeploy,
    ],
    app: [
      'list, show or delete apps; `drydock deploy` creates them',
      async () => (await import('../../features/apps/commands/app.ts')).addApp,
    ],
    env: [
      'manage the environments of an app and their variables',
      async () => (await import('../../features/apps/commands/env.ts')).addEnv,
    ],
  },
  Endpoints: {
    endpoint: [
      'create, list, change and delete endpoints',
      async () => (await import('../../features/endpoints/commands/endpoint.ts')).addEndpoint,
    ],
    health: [
      'show how many jobs and workers an endpoint has, or all of them',
      async () => (await import('../../features/monitoring/commands/health.ts')).addHealth,
    ],
    workers: [
      'list workers, show their usage, open a shell, replace or stop one',
      async () => (await import('../../features/workers/commands/workers.ts')).addWorkers,
    ],
    pod: [
      'run containers to develop in, with their ports on loopback',
      async () => (await import('../../features/pods/command.ts')).addPod,
    ],
    logs: [
      'show the logs of workers',
      async () => (await import('../../features/monitoring/commands/logs.ts')).addLogs,
    ],
    requests: [
      'list the requests to a load-balanced endpoint, newest first',
      async () => (await import('../../features/load-balancing/command.ts')).addRequests,
    ],
    faults: [
      'show or set fault injection on an endpoint, to test how clients handle failures',
      async () => (await import('../../features/workers/commands/faults.ts')).addFaultCommands,
    ],
  },
  Jobs: {
    run: ['queue a job and print its id', async () => (await import('../../features/jobs/commands/run.ts')).addRun],
    runsync: [
      'queue a job and wait for its result',
      async () => (await import('../../features/jobs/commands/run.ts')).addRunsync,
    ],
    status: ['show a job', async () => (await import('../../features/jobs/commands/status.ts')).addStatus],
    stream: [
      'print the chunks of a job as they arrive, until it ends',
      async () => (await import('../../features/jobs/commands/stream.ts')).addStream,
    ],
    cancel: [
      'cancel a waiting or running job',
      async () => (await import('../../features/jobs/commands/cancel-retry-purge.ts')).addCancel,
    ],
    retry: [
      'retry a failed or timed-out job under the same id',
      async () => (await import('../../features/jobs/commands/cancel-retry-purge.ts')).addRetry,
    ],
    purge: [
      'cancel all waiting jobs of an endpoint; running jobs continue',
      async () => (await import('../../features/jobs/commands/cancel-retry-purge.ts')).addPurge,
    ],
    jobs: [
      'list, search, retry, cancel, export and import jobs',
      async () => (await import('../../features/jobs/commands/jobs.ts')).addJobs,
    ],
    job: [
      'move a job in its queue; export it to a file, open it, and run it on another Drydock',
      async () => (await import('../../features/jobs/commands/job.ts')).addJob,
    ],
    batch: [
      'submit the inputs of a file as one batch, and follow it',
      async () => (await import('../../features/batches/command.ts')).addBatch,
    ],
    schedule: [
      'send requests on a cron pattern or at regular intervals',
      async () => (await import('../../features/schedules/command.ts')).addSchedule,
    ],
  },
  'Image workflows': {
    workflow: [
      'check, convert, run and publish node graphs, including those stored in pictures',
      async () => (await import('../../features/workflows/commands/workflow.ts')).addWorkflow,
    ],
    comfy: [
      "open ComfyUI's own page on an endpoint",
      async () => (await import('../../features/comfyui-api/command.ts')).addComfy,
    ],
    models: [
      'list, download or remove the models of this machine',
      async () => (await import('../../features/models/commands/models.ts')).addModels,
    ],
  },
  'Worker images': {
    image: [
      'build the image of a worker repository with a Dockerfile',
      async () => (await import('../../features/worker-images/commands/image-build.ts')).addImage,
    ],
  },
  'Tests and comparisons': {
    test: [
      'run .runpod/tests.json and test_input.json of a worker repository',
      async () => (await import('../../features/workers/commands/test.ts')).addTest,
    ],
    'load-test': [
      'send many requests to an endpoint and measure the results',
      async () => (await import('../../features/load-tests/command.ts')).addLoadTest,
    ],
    compare: [
      'run the same inputs on several versions and compare outputs',
      async () => (await import('../../features/comparisons/command.ts')).addCompare,
    ],
    bisect: [
      'find the first version in an ordered list whose outputs differ from the reference',
      async () => (await import('../../features/comparisons/command.ts')).addBisect,
    ],
    'what-if': [
      'simulate an endpoint with other settings: waiting, cold starts, worker-seconds, cost',
      async () => (await import('../../features/what-if/command.ts')).addWhatIf,
    ],
  },
  'Keys and other machines': {
    login: [
      'save the URL and key of a service for commands and scripts',
      async () => (await import('../../features/targets/commands/login.ts')).addLogin,
    ],
    logout: [
      'remove the service and the key saved by `drydock login`',
      async () => (await import('../../features/targets/commands/login.ts')).addLogout,
    ],
    key: [
      'create, change, rotate, list or revoke keys with a role, and see who changed what',
      async () => (await import('../../features/keys/command.ts')).addKey,
    ],
    registry: [
      'store, list or remove credentials of image registries',
      async () => (await import('../../features/registries/command.ts')).addRegistry,
    ],
    machine: [
      'add, list, test or remove machines that run workers',
      async () => (await import('../../features/machines/commands/machine.ts')).addMachine,
    ],
    probe: [
      'compare how this service and a target answer read-only calls',
      async () => (await import('../../features/targets/commands/probe.ts')).addProbe,
    ],
    target: [
      'store, list or remove other services that apps are deployed to',
      async () => (await import('../../features/targets/commands/target.ts')).addTarget,
    ],
  },
  More: {
    completion: [
      'print a script that completes commands and options in your shell',
      async () => (await import('./commands/completion.ts')).addCompletion,
    ],
    mcp: [
      'serve tools, resources and prompts to a coding agent (Model Context Protocol, stdio)',
      async () => (await import('../../features/agents/command.ts')).addMcp,
    ],
    platform: [
      "use the platform's own tools (rp, SDKs, agents) with this service",
      async () => (await import('../../features/platform-api/command.ts')).addPlatform,
    ],
  },
}
