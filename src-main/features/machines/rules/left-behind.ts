export type LeftBehind = { readonly machine: string; readonly id: string; readonly why: string }

/** On everything that a service creates on an engine. */
export const SERVICE_LABEL = 'svc.service'

export function stillRuns(machine: string, why: string): string {
  return `Workers on ${machine} may still run: ${withoutStop(why)}.`
}

export function leftText({ machine, why }: LeftBehind): string {
  return `${stillRuns(machine, why)} The next start removes them when it reaches ${machine}, and so does \`drydock machine remove ${machine}\`.`
}

export function leftForGoodText({ machine, id, why }: LeftBehind): string {
  return `Some things could not be removed on ${machine}: ${withoutStop(why)}. They are removed when this machine is added again, under any name. To remove them yourself, run there: ${commandFor(id)}`
}

function commandFor(id: string): string {
  const containers = `docker ps -aq --filter label=${SERVICE_LABEL}=${id} | xargs -r docker rm -fv`
  return `${containers}; docker volume rm -f drydock-${id}-files; rm -rf ~/.drydock/${id}`
}

const withoutStop = (text: string) => text.replace(/\.$/, '')
