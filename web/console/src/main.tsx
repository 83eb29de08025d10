import { addMessages, CONSOLE_MESSAGES } from '@platen/ui'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'

addMessages(CONSOLE_MESSAGES)

const root = document.getElementById('app')
if (root === null) throw new Error('The page has no element with the id "app"')
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
