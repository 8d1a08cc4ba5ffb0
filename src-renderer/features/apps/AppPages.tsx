import { PageToCome } from '../../ui/PageToCome.tsx'

/** The pages of apps. */
export function AppPages() {
  return <PageToCome name="Apps" what="Apps" command="drydock app list" />
}
