//! Reads the macros of the declarations: `records!` and `choices!`.

use crate::fail::at;
use crate::model::{Case, Choices, Field, Record};
use crate::parse::attributes::doc;
use crate::types::kind;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Expr};

/// The declarations in a macro, in order.
pub(crate) fn all<T: Parse>(input: ParseStream<'_>) -> syn::Result<Vec<T>> {
    let mut out = Vec::new();
    while !input.is_empty() {
        out.push(input.parse()?);
    }
    Ok(out)
}

impl Parse for Record {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let doc = doc(&input.call(Attribute::parse_outer)?);
        let _: syn::Visibility = input.parse()?;
        let _: syn::Token![struct] = input.parse()?;
        let name: syn::Ident = input.parse()?;
        // The source value, and the fields' conversions, concern the macro alone.
        while !input.peek(syn::token::Brace) {
            input.call(syn::Ident::parse_any)?;
        }
        let body;
        syn::braced!(body in input);
        let fields = at(&name, || body.parse_terminated::<_, syn::Token![,]>(Field::parse))?;
        Ok(Self {
            name: name.to_string(),
            doc,
            fields: fields.into_iter().collect(),
        })
    }
}

impl Parse for Field {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut doc = doc(&input.call(Attribute::parse_outer)?);
        let _: syn::Visibility = input.parse()?;
        let name: syn::Ident = input.parse()?;
        let _: syn::Token![:] = input.parse()?;
        let written = input.parse()?;
        let kind = at(&name, || kind(&written));
        if input.parse::<Option<syn::Token![=]>>()?.is_some() {
            let _: Expr = input.parse()?;
        }
        if name == "reserved" && doc.is_empty() {
            doc.push("0.".to_owned());
        }
        Ok(Self {
            name: name.to_string(),
            doc,
            kind,
        })
    }
}

impl Parse for Choices {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let doc = doc(&input.call(Attribute::parse_outer)?);
        let _: syn::Visibility = input.parse()?;
        let _: syn::Token![enum] = input.parse()?;
        let name: syn::Ident = input.parse()?;
        let _: syn::Token![=] = input.parse()?;
        let prefix: syn::Ident = input.parse()?;
        if input.parse::<Option<syn::Token![for]>>()?.is_some() {
            let _: syn::Ident = input.parse()?;
        }
        let body;
        syn::braced!(body in input);
        let cases = body.parse_terminated::<_, syn::Token![,]>(Case::parse)?;
        Ok(Self {
            name: name.to_string(),
            doc,
            prefix: prefix.to_string(),
            cases: cases.into_iter().collect(),
        })
    }
}

impl Parse for Case {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let doc = doc(&input.call(Attribute::parse_outer)?);
        let name: syn::Ident = input.parse()?;
        let _: syn::Token![=] = input.parse()?;
        let number: syn::LitInt = input.parse()?;
        Ok(Self {
            name: name.to_string(),
            doc,
            number: number.base10_parse()?,
        })
    }
}
