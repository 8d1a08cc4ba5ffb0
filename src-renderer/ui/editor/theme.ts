import { HighlightStyle } from '@codemirror/language'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'

export const THEME = EditorView.theme({
  '&': { height: '100%', fontSize: '12px', color: 'var(--ink)', backgroundColor: 'var(--surface-1)' },
  '.cm-scroller': { fontFamily: "'JetBrains Mono Variable', monospace", lineHeight: '18px' },
  '.cm-content': { caretColor: 'var(--ink)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-gutters': { backgroundColor: 'var(--surface-1)', color: 'var(--ink-2)', border: 'none' },
  '.cm-selectionBackground, &.cm-focused .cm-selectionBackground': { backgroundColor: 'var(--accent-soft) !important' },
  '&.cm-focused': { outline: 'none' },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--surface-2)', outline: '1px solid var(--line-strong)' },
  '.cm-tooltip': {
    border: '1px solid var(--line)',
    borderRadius: '6px',
    backgroundColor: 'var(--surface-1)',
    boxShadow: 'var(--shadow-float)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    maxHeight: '14rem',
    maxWidth: '28rem',
    padding: '4px',
    fontFamily: "'JetBrains Mono Variable', monospace",
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '1px 8px', borderRadius: '4px' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--accent-soft)', color: 'var(--ink)' },
  '.cm-placeholder': { color: 'var(--ink-2)' },
})

export const HIGHLIGHT = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--accent)' },
  { tag: tags.string, color: 'var(--completed)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--running)' },
  { tag: tags.punctuation, color: 'var(--ink-2)' },
])
