/// The one style of all pages: for a phone first, by day and by night, with the team's colour on what is to be pressed.
enum PageStyle {
    static func text(_ accent: PageColour, dark: PageColour) -> String {
        """
        :root{color-scheme:light dark;--ink:#1b1f24;--soft:#4d5761;--ground:#f0f2f5;--card:#fff;--line:#66707b;--rule:#d5dae0;\
        --bad:#b42318;--badground:#fdf0ee;--good:#1a6b32;--accent:\(accent.text);--onaccent:\(accent.onIt.text)}\
        @media(prefers-color-scheme:dark){:root{--ink:#f0f3f6;--soft:#b1bac4;--ground:#0a0d12;--card:#151a21;--line:#7d8893;--rule:#303842;\
        --bad:#ff9a91;--badground:#2d1a1a;--good:#7ee2a0;--accent:\(dark.text);--onaccent:\(dark.onIt.text)}}
        """ + common
    }

    private static let common = """
        *{box-sizing:border-box}\
        body{margin:0;min-height:100vh;background:var(--card);color:var(--ink);\
        font:1.0625rem/1.6 system-ui,-apple-system,"Hiragino Sans","Noto Sans CJK JP","Noto Sans JP",sans-serif;overflow-wrap:anywhere}\
        body>header,main,body>footer{max-width:27rem;margin:0 auto;padding:1.5rem 1.25rem 0}\
        main{padding-bottom:2rem}\
        body>header{font-weight:600;padding-bottom:0}\
        body>header img{display:block;max-width:12rem;max-height:3rem}\
        body>footer{padding-top:0;padding-bottom:2rem;font-size:.875rem;color:var(--soft)}\
        h1{font-size:1.5rem;line-height:1.3;margin:0 0 .75rem;text-wrap:balance}\
        h2{font-size:1.125rem;line-height:1.4;margin:2rem 0 .5rem}\
        h3{font-size:1rem;margin:0}\
        :lang(ja){word-break:auto-phrase}\
        p{margin:.75rem 0}\
        a{color:inherit;text-underline-offset:.2em}\
        small,.soft{font-size:.9375rem;color:var(--soft)}\
        label{display:block;font-weight:600;margin-top:1rem}\
        input,button,.button{font:inherit;width:100%;min-height:3rem;padding:.625rem .875rem;border:1px solid var(--line);\
        border-radius:.5rem;background:var(--card);color:var(--ink)}\
        label+input,label+p+input{margin-top:.25rem}\
        input[aria-invalid=true]{border-color:var(--bad);border-width:2px}\
        input[name=user_code]{text-transform:uppercase;letter-spacing:.15em}\
        .check{display:flex;gap:.75rem;align-items:center;font-weight:400;min-height:2.75rem}\
        .check input{width:1.5rem;min-height:1.5rem;height:1.5rem;flex:none;margin:0;accent-color:var(--accent)}\
        button,.button{display:flex;gap:.625rem;align-items:center;justify-content:center;margin-top:1rem;font-weight:600;\
        cursor:pointer;text-align:center;text-decoration:none}\
        button.main,.button.main{background:var(--accent);border-color:var(--accent);color:var(--onaccent)}\
        button.bad{border-color:var(--bad);color:var(--bad)}\
        button.small{width:auto;min-height:2.75rem;margin:0;padding:.25rem .875rem;font-size:.9375rem}\
        button svg{width:1.25rem;height:1.25rem;flex:none}\
        :focus-visible{outline:3px solid var(--ink);outline-offset:2px}\
        [role=alert]{border-left:.375rem solid var(--bad);background:var(--badground);padding:.75rem;border-radius:.25rem}\
        [role=status]{border-left:.375rem solid var(--good);padding:.25rem .75rem}\
        .hint{margin:.25rem 0 0;font-size:.9375rem;color:var(--soft)}\
        .fault{margin:.25rem 0 0;font-size:.9375rem;color:var(--bad);font-weight:600}\
        .or{display:flex;align-items:center;gap:.75rem;color:var(--soft);margin:1.5rem 0 .5rem}\
        .or:before,.or:after{content:"";flex:1;border-top:1px solid var(--rule)}\
        ul{list-style:none;margin:1rem 0;padding:0}ul+details{margin-top:-1rem;border-top:0}\
        li{border-top:1px solid var(--rule);padding:.75rem 0}li>form{margin-top:.75rem}\
        li:last-child{border-bottom:1px solid var(--rule)}\
        .row{display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:center;justify-content:space-between}\
        .row>*{margin:0}.row>:first-child{flex:1 8rem}.row>form,.row>small{flex:none}.row+details{margin-top:1rem}.apart{margin-top:2.5rem}\
        .scopes li{display:flex;gap:.625rem}.scopes li:before{content:"\\2713";font-weight:600}\
        .client{display:block;max-width:4rem;max-height:4rem;border-radius:.75rem;margin-bottom:1rem}\
        .links{margin-top:1.5rem}.links a{display:inline-block;padding:.5rem 0;min-height:2.75rem}\
        details{border-top:1px solid var(--rule)}details:last-of-type{border-bottom:1px solid var(--rule)}\
        summary{padding:.75rem 0;font-weight:600;cursor:pointer;min-height:3rem}\
        details[open]{padding-bottom:1.25rem}\
        code{display:block;font:600 1.5rem/1.5 ui-monospace,monospace;letter-spacing:.1em;white-space:nowrap}\
        iframe{display:none}\
        @media(min-width:32rem){body{background:var(--ground);padding:2.5rem 1rem}\
        main{background:var(--card);border-radius:1rem;padding:2rem 2.25rem 2.25rem;margin-top:1.25rem;\
        box-shadow:0 1px 2px #0002,0 .5rem 2rem #0001}\
        body>header{padding:0 2.25rem}body>footer{padding:1rem 2.25rem}}\
        @media(forced-colors:active){button.main{border-width:2px}}
        """
}
