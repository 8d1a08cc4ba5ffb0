/** A command that sends a first job. Its input is not empty, as the platform does not run jobs without one. */
export function sampleCommand(command: 'run' | 'runsync', endpointId: string): string {
  return `drydock ${command} ${endpointId} '{"name": "Ada"}'`
}
