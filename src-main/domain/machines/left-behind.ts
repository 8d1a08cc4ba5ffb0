/** The words for things that a service left on another machine. */

/** Things that were not removed: `id` names them there. */
export type LeftBehind = { readonly machine: string; readonly id: string; readonly why: string }

/** Label of everything that a service makes on an engine. */
export const SERVICE_LABEL = 'svc.service'

/** Says that workers stay on a machine. */
export function stillRuns(machine: string, why: string): string {
  return `Workers on ${machine} may still run: ${withoutStop(why)}.`
}

/** Says what stays, and that it goes when the machine is reached again. */
export function leftText({ machine, why }: LeftBehind): string {
  return `${stillRuns(machine, why)} The next start removes them when it reaches ${machine}, and so does \`drydock machine remove ${machine}\`.`
}

/** Says what stays on a machine that was forgotten, and the command that removes it. */
export function leftForGoodText({ machine, id, why }: LeftBehind): string {
  return `Some things could not be removed on ${machine}: ${withoutStop(why)}. They are removed when this machine is added again, under any name. To remove them yourself, run there: ${commandFor(id)}`
}

function commandFor(id: string): string {
  const containers = `docker ps -aq --filter label=${SERVICE_LABEL}=${id} | xargs -r docker rm -fv`
  return `${containers}; docker volume rm -f drydock-${id}-files; rm -rf ~/.drydock/${id}`
}

const withoutStop = (text: string) => text.replace(/\.$/, '')
