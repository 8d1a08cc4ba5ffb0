import { execFile } from 'node:child_process'
import { type ContainerService, startedContainerService } from '../support/container-service.ts'
import type { DockerEngine } from '../support/docker-engine.ts'
import { LAUNCHER } from '../support/served-service.ts'

/** Runs the command line on the data folder of a service, with output for people. */
function commandLine({ data, folder }: ContainerService) {
  return (argv: readonly string[], input = ''): Promise<{ readonly stdout: string; readonly stderr: string }> =>
    new Promise((resolve, reject) => {
      const options = { cwd: folder, env: { ...process.env, NO_COLOR: '1' } }
      const child = execFile(process.execPath, [LAUNCHER, ...argv, '--data', data], options, (error, stdout, stderr) =>
        error === null ? resolve({ stdout, stderr }) : reject(new Error(`${error.message}\n${stderr}`)),
      )
      child.stdin?.end(input)
    })
}

/** Starts a service, with a function that runs commands on it. */
export async function startedWithCommands(engine: DockerEngine) {
  const service = await startedContainerService(engine)
  return { ...service, drydock: commandLine(service) }
}
