export type LeftBehind = {
  readonly machine: string
  readonly swarm: boolean
  readonly id: string
  readonly why: string
}

/** On everything that a service creates on an engine. */
export const SERVICE_LABEL = 'svc.service'

export function stillRuns(machine: string, why: string): string {
  return `Workers on ${machine} may still run: ${withoutStop(why)}.`
}

export function leftText({ machine, why }: LeftBehind): string {
  return `${stillRuns(machine, why)} The next start removes them when it reaches ${machine}, and so does \`drydock machine remove ${machine}\`.`
}

export function leftoversText({ machine, swarm, id, why }: LeftBehind): string {
  const label = `--filter label=${SERVICE_LABEL}=${id}`
  const onEngine = `docker ps -aq ${label} | xargs -r docker rm -fv; docker volume rm -f drydock-${id}-files; rm -rf ~/.drydock/${id}`
  // Secrets and networks can be removed once the containers of the services have ended.
  const inSwarm = `for kind in service secret config network; do docker $kind ls -q ${label} | xargs -r docker $kind rm; sleep 10; done`
  const commands = swarm
    ? `run on its manager: ${inSwarm}; and then on each node: ${onEngine}`
    : `run there: ${onEngine}`
  return `Some things could not be removed on ${machine}: ${withoutStop(why)}. They are removed when this machine is added again, under any name. To remove them yourself, ${commands}`
}

const withoutStop = (text: string) => text.replace(/\.$/, '')
