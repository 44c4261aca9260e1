// Starts the page: takes the plain tables away and shows the parts.

import './style/base.css';
import './style/table.css';
import './style/parts.css';
import './style/timeline.css';
import './style/phone.css';
import {render} from 'preact';
import {App} from './app';
import {openDocuments} from './data/documents';
import {followSystem} from './theme';

/** A mark for the tab: three slices. */
function setIcon(): void {
  const link = document.createElement('link');
  link.rel = 'icon';
  link.href = `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path fill="#3b7dbf" d="M1 2h9v3H1z"/><path fill="#e08e0b" d="M4 6.5h11v3H4z"/><path fill="#2a9d8f" d="M2 11h7v3H2z"/></svg>')}`;
  document.head.append(link);
}

function start(): void {
  const target = document.getElementById('app');
  if (!target) return;
  setIcon();
  followSystem();
  const documents = openDocuments();
  render(<App documents={documents} />, target);
  document.getElementById('plain')?.remove();
}

start();
