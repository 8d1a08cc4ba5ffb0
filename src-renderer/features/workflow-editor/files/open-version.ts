import type { AppServices } from '../../../store/app-context.ts'
import { openText } from './document-text.ts'
import { filesOf, findTab } from './tabs-of.ts'

/**
 * Opens a saved version in the tab of its workflow, as an edit: undo goes back to what was there.
 * @returns why it could not be opened, for a person
 */
export async function openVersion(app: AppServices, workflowId: string, version: number): Promise<string | undefined> {
  await filesOf(app).tabs.show(workflowId)
  const shown = findTab(app, workflowId)
  if (shown?.open === undefined) return shown?.fault ?? 'The workflow was closed meanwhile.'
  try {
    const path = { workflowId, version: String(version) }
    const opened = openText((await app.client.call('workflowVersion', { path })).text)
    if (opened.kind === 'fault') return opened.why
    const { edit, endStep } = shown.open.tab.editor.getState()
    endStep()
    edit(`Open version ${version}`, () => opened.document)
    return undefined
  } catch (error) {
    if (error instanceof Error) return error.message
    throw error
  }
}
