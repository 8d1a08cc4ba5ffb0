import { PageToCome } from '../../ui/PageToCome.tsx'

/** The page of workers. */
export function WorkerPages() {
  return <PageToCome name="Workers" what="Workers" command="drydock workers" />
}
