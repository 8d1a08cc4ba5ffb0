import { PageToCome } from '../../ui/PageToCome.tsx'

/** The pages of jobs. */
export function JobPages() {
  return <PageToCome name="Jobs" what="Jobs" command="drydock jobs" />
}
