import { PageToCome } from '../../ui/PageToCome.tsx'

/** The page of the system. */
export function SystemPages() {
  return <PageToCome name="System" what="Checks of the system" command="drydock doctor" />
}
