import { EDITORS, type EditorName } from '../../../src-main/contract/editors.ts'
import { useApp, useAppState } from '../../store/app-context.ts'
import { THEMES } from '../../store/layout-slice.ts'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { FormRow } from '../../ui/form/FormRow.tsx'
import { Select } from '../../ui/form/Select.tsx'
import { Toggle } from '../../ui/form/Toggle.tsx'
import { SegmentedChoice } from '../../ui/SegmentedChoice.tsx'
import { useSidebar } from '../../ui/use-sidebar.ts'

const EDITOR_CHOICES = Object.entries(EDITORS).map(([value, { name }]) => ({ value, label: name }))

/** What this browser alone keeps: colours, the sidebar, the editor, and the keys to learn. */
export function LookCard() {
  const { store } = useApp()
  const theme = useAppState((state) => state.theme)
  const { pinned, toggle } = useSidebar()
  const editor = useAppState((state) => state.editor)
  const showKeys = useAppState(({ commands }) => commands.find(({ id }) => id === 'keys')?.run)
  return (
    <Card title="This browser">
      <FormRow label="Colours" help="Those of the system, or always light or dark.">
        {({ id }) => (
          <div className="flex h-7 items-center" id={id}>
            <SegmentedChoice label="Colours" choices={THEMES} value={theme} onChange={store.getState().setTheme} />
          </div>
        )}
      </FormRow>
      <FormRow
        label="Names in the sidebar"
        help="Off, the sidebar shows pictures alone, with their names on hover. The graph editor has its own choice."
      >
        {(ids) => <Toggle {...ids} checked={pinned} onChange={toggle} />}
      </FormRow>
      <FormRow
        label="Editor"
        help="What a file and line of a traceback opens. The editor must be on this machine and have taken its links."
      >
        {(ids) => (
          <Select
            {...ids}
            choices={EDITOR_CHOICES}
            value={editor}
            onChange={(name) => store.getState().setEditor(name as EditorName)}
          />
        )}
      </FormRow>
      <FormRow label="Keys" help="Every page can be used without a pointer.">
        {(ids) => (
          <Button
            id={ids.id}
            aria-label="Show all keys"
            aria-describedby={ids['aria-describedby']}
            className="self-start"
            onClick={showKeys}
          >
            Show all keys
          </Button>
        )}
      </FormRow>
    </Card>
  )
}
