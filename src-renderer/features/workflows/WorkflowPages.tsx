import { PageToCome } from '../../ui/PageToCome.tsx'

/** The pages of workflows. */
export function WorkflowPages() {
  return <PageToCome name="Workflows" what="Workflows" command="drydock --help" />
}
