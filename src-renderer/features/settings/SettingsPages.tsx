import { PageToCome } from '../../ui/PageToCome.tsx'

/** The settings of the service. */
export function SettingsPages() {
  return <PageToCome name="Settings" what="Settings" command="drydock settings" />
}
