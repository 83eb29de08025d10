import type { ReactNode } from 'react'
import { Tabs as AriaTabs, type TabsProps as AriaTabsProps, Tab, TabList, TabPanel } from 'react-aria-components/Tabs'
import { classes } from '../classes.ts'

export interface TabItem {
  id: string
  title: ReactNode
  /** The accessible name, if the title is no text. */
  label?: string | undefined
  content?: ReactNode
}

export interface TabsProps extends Omit<AriaTabsProps, 'className' | 'children' | 'style' | 'onSelectionChange'> {
  'aria-label': string
  items: readonly TabItem[]
  className?: string
  onSelectionChange?(id: string): void
}

export function Tabs({ items, className, 'aria-label': label, onSelectionChange, ...props }: TabsProps) {
  return (
    <AriaTabs
      {...props}
      className={classes('pl-tabs', className)}
      {...(onSelectionChange === undefined ? {} : { onSelectionChange: (key) => onSelectionChange(String(key)) })}
    >
      <TabList aria-label={label} className="pl-tab-list">
        {items.map((item) => (
          <Tab
            key={item.id}
            id={item.id}
            className="pl-tab"
            {...(item.label === undefined ? {} : { 'aria-label': item.label })}
          >
            {item.title}
          </Tab>
        ))}
      </TabList>
      {items.map((item) => (
        <TabPanel key={item.id} id={item.id} className="pl-tab-panel">
          {item.content}
        </TabPanel>
      ))}
    </AriaTabs>
  )
}
